package external

// Metered is metered, for the tests.
var Metered = metered

// FuelName is fuelName.
const FuelName = fuelName
