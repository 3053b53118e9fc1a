// Renders the templates of a chart with Go's template engine and the functions that Helm has.
// Arguments: the folder of the templates, and a JSON file with the values that they get.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v2"
)

func main() {
	texts, err := render(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	json.NewEncoder(os.Stdout).Encode(texts)
}

func render(folder string, dataFile string) (map[string]string, error) {
	// Numbers are floating-point numbers, as they are in Helm.
	var data map[string]interface{}
	text, err := os.ReadFile(dataFile)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &data); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		return nil, err
	}
	templates := template.New("chart").Option("missingkey=zero")
	templates.Funcs(sprig.TxtFuncMap()).Funcs(template.FuncMap{
		"include": func(name string, value interface{}) (string, error) {
			var result strings.Builder
			err := templates.ExecuteTemplate(&result, name, value)
			return result.String(), err
		},
		"toYaml": toYaml,
	})
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if _, err := templates.New(filepath.Base(file)).Parse(string(text)); err != nil {
			return nil, err
		}
	}
	texts := map[string]string{}
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasPrefix(name, "_") {
			continue
		}
		var result strings.Builder
		if err := templates.ExecuteTemplate(&result, name, data); err != nil {
			return nil, err
		}
		texts[name] = result.String()
	}
	return texts, nil
}

// Whole numbers are written without an exponent, because they pass through JSON.
func toYaml(value interface{}) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	var plain interface{}
	if err := yaml.Unmarshal(text, &plain); err != nil {
		return "", err
	}
	result, err := yaml.Marshal(plain)
	return strings.TrimSuffix(string(result), "\n"), err
}
