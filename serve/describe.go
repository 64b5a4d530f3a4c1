package serve

import (
	_ "embed"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/model"
)

// docs is the page that shows the description. It loads nothing from elsewhere.
//
//go:embed docs.html
var docs []byte

func (s *Server) getDocs(v *visit, _ *http.Request) error {
	v.Header().Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'")
	write(v, http.StatusOK, "text/html; charset=utf-8", docs)
	return nil
}

// object is a JSON object.
type object = map[string]any

func (s *Server) getDescription(v *visit, _ *http.Request) error {
	s.writeJSON(v, s.description())
	return nil
}

// description is the service in the words of OpenAPI 3.
func (s *Server) description() object {
	paths := object{
		"/v2":             object{"get": reading("Server metadata", "protocol", "name, version and extensions")},
		"/v2/health/live": object{"get": reading("Is the service alive", "protocol", "it is")},
		"/v2/health/ready": object{
			"get": reading("Do all models answer", "protocol", "they do; 503 while the service stops"),
		},
		"/metrics": object{"get": reading("Metrics for Prometheus", "service", "metrics as text")},
	}
	for _, name := range s.names {
		e := s.models[name].now.Load()
		paths["/predict/"+name] = object{"post": e.describePredict()}
		at := "/v2/models/" + name
		paths[at] = object{"get": reading("Metadata of "+name, name, "inputs, outputs, version, classes")}
		paths[at+"/ready"] = object{"get": reading("Does "+name+" answer", name, "it does")}
		paths[at+"/infer"] = object{"post": e.describeInfer()}
	}
	out := object{
		"openapi": "3.0.3",
		"info": object{
			"title": "kerf serve", "version": model.Version,
			"description": "Predictions of " + strings.Join(
				s.names,
				", ",
			) + ". Faults are answered with a status and {\"error\": " +
				"\"one line\"}.",
		},
		"paths": paths,
		"components": object{"schemas": object{"Error": object{
			"type": "object", "required": []string{"error"}, "properties": object{"error": object{"type": "string"}},
		}}},
	}
	if s.o.Token != "" {
		out["components"].(object)["securitySchemes"] = object{"token": object{"type": "http", "scheme": "bearer"}}
		out["security"] = []object{{"token": []string{}}}
	}
	return out
}

// reading describes a GET.
func reading(summary, tag, answer string) object {
	return object{"summary": summary, "tags": []string{tag}, "responses": responses(object{"description": answer})}
}

// responses are those of a call: the good one, and all faults alike.
func responses(good object) object {
	return object{"200": good, "default": object{
		"description": "A fault, in one line.",
		"content":     object{"application/json": object{"schema": object{"$ref": "#/components/schemas/Error"}}},
	}}
}

// describePredict describes /predict of a model.
func (e *edition) describePredict() object {
	row := e.rowSchema()
	rows := object{"oneOf": []object{row, {"type": "array", "items": row}}}
	content := object{"application/json": object{"schema": rows, "example": e.sample()}}
	if e.Encoding.HasColumns() {
		content["text/csv"] = object{"schema": object{"type": "string", "description": "A table with a header."}}
	}
	binary := object{
		"schema": object{"type": "string", "format": "binary", "description": "A table as a stream of Arrow."},
	}
	content[mediaArrow] = binary
	content["text/plain"] = object{
		"schema": object{"type": "string", "description": "Rows as in a file of the training data's " +
			"format, " + e.Encoding.Format + "."},
	}
	options := []object{{
		"name": "outputs", "in": "query", "description": "What to answer, with commas: " + strings.Join(e.gives, ", ") + ".",
		"schema": object{"type": "string", "default": e.gives[0]},
	}}
	if slices.Contains(e.gives, outSet) {
		options = append(
			options,
			object{"name": "coverage", "in": "query", "description": "Of prediction sets or intervals.",
				"schema": object{"type": "number", "enum": model.Coverages, "default": defaultCoverage}},
		)
	}
	if e.form == dataset.Indexed {
		options = append(options, object{"name": "first", "in": "query",
			"description": "Index of the first number of rows that are lists.",
			"schema":      object{"type": "integer", "enum": []int{0, 1}}})
	}
	numbers := object{"type": "array", "items": object{"type": "array", "items": object{"type": "number"}}}
	properties := object{"model": object{"type": "string"}, "version": object{"type": "string"}, "features": numbers,
		"why": object{"type": "array", "items": object{"type": "object"}}}
	if e.Regresses() {
		properties["predictions"] = object{"type": "array", "items": object{"type": "number"}}
		properties["intervals"] = numbers
	} else {
		properties["predictions"] = object{"type": "array", "items": object{"type": "string", "enum": e.Classes.Names}}
		properties["classes"] = object{"type": "array", "items": object{"type": "string"}}
		properties["scores"], properties["probabilities"] = numbers, numbers
		properties["sets"] = object{"type": "array", "items": object{"type": "array", "items": object{"type": "string"}}}
	}
	return object{
		"summary": "Predict with " + e.name, "tags": []string{e.name}, "parameters": options,
		"requestBody": object{"required": true, "content": content},
		"responses": responses(object{"description": "A prediction for each row.", "content": object{
			"application/json": object{"schema": object{"type": "object", "properties": properties}},
			"text/csv":         object{"schema": object{"type": "string"}},
			mediaArrow:         binary,
		}}),
	}
}

// rowSchema describes a row of the model.
func (e *edition) rowSchema() object {
	switch e.form {
	case dataset.Text:
		return object{"type": "string"}
	case dataset.Items:
		return object{"type": "array", "items": object{"type": "string"}}
	case dataset.Indexed:
		return object{"type": "object", "additionalProperties": object{"type": "number"},
			"description": "Values by index; what is not named is 0."}
	case dataset.Numbers:
		return object{"type": "array", "items": object{"type": "number"}}
	}
	properties := object{}
	for _, c := range e.takes {
		kind := "number"
		if c.Datatype == typeBytes {
			kind = "string"
		}
		properties[c.Name] = object{"type": kind, "nullable": true}
	}
	return object{"type": "object", "properties": properties}
}

// sample is a row to begin with.
func (e *edition) sample() any {
	switch e.form {
	case dataset.Text:
		return "abc"
	case dataset.Items:
		return []string{"a", "b"}
	case dataset.Indexed:
		return object{"3": 1, "11": 0.5}
	case dataset.Numbers:
		return make([]float64, e.width)
	}
	row := object{}
	for _, c := range e.Encoding.RowColumns() {
		row[c.Name] = c.Example
		if c.Number {
			row[c.Name], _ = strconv.ParseFloat(strconv.FormatFloat(c.Mean, 'g', 3, 64), 64)
		}
	}
	return row
}

// describeInfer describes inference by the protocol.
func (e *edition) describeInfer() object {
	describe := func(all []column) []object {
		var out []object
		for _, c := range all {
			out = append(out, object{"name": c.Name, "datatype": c.Datatype, "shape": c.Shape})
		}
		return out
	}
	info := e.info()
	tensor := object{"type": "object", "required": []string{"name", "shape", "datatype"}, "properties": object{
		"name": object{"type": "string"}, "shape": object{"type": "array", "items": object{"type": "integer"}},
		"datatype":   object{"type": "string", "enum": append([]string{typeBytes}, slices.Sorted(maps.Keys(elements))...)},
		"parameters": object{"type": "object"}, "data": object{"type": "array", "items": object{}},
	}}
	outputs := object{"type": "array", "items": object{"type": "object", "properties": object{
		"name": object{"type": "string", "enum": e.gives}, "parameters": object{"type": "object"}}}}
	return object{
		"summary": "Infer with " + e.name + " by the Open Inference Protocol", "tags": []string{e.name},
		"requestBody": object{"required": true, "content": object{"application/json": object{
			"schema": object{"type": "object", "required": []string{"inputs"}, "properties": object{
				"id": object{"type": "string"}, "parameters": object{"type": "object"},
				"inputs": object{"type": "array", "items": tensor}, "outputs": outputs,
			}},
		}}},
		"x-inputs": describe(info.Inputs), "x-outputs": describe(info.Outputs),
		"responses": responses(object{"description": "The outputs that were asked for.", "content": object{
			"application/json": object{"schema": object{"type": "object", "properties": object{
				"model_name": object{"type": "string"}, "model_version": object{"type": "string"}, "id": object{"type": "string"},
				"outputs": object{"type": "array", "items": tensor},
			}}},
		}}),
	}
}
