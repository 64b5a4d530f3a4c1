package external

// Metered is metered, for the tests.
var Metered = metered

// Bare is bare, for the tests.
var Bare = bare

// FuelName is fuelName.
const FuelName = fuelName
