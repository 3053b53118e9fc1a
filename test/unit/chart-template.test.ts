/** The part of the template language that the Helm chart is written in. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { renderChart } from '../../tools/helm/chart.ts'
import { parseTemplate, TemplateError } from '../../tools/helm/template.ts'

const render = (source: string, values: { readonly [name: string]: unknown } = {}): string =>
  renderChart(
    {
      metadata: { name: 'x', version: '1.0.0', appVersion: '1.0.0' },
      templates: new Map([['x.yaml', parseTemplate(source, 'x.yaml')]]),
    },
    { name: 'x', namespace: 'y', service: 'Helm' },
    values,
  )
    .get('x.yaml')
    ?.trimEnd() ?? ''

describe('a template', () => {
  // The results are those of Go's text/template with the functions of Helm.
  const rendered: readonly [source: string, values: { [name: string]: unknown }, text: string][] = [
    ['a {{- " b " -}} c', {}, 'a b c'],
    ['a {{ "b" }} c', {}, 'a b c'],
    ['a\n{{- /* {{ not shown */ -}}\nb', {}, 'ab'],
    ['{{ .Values.a.b }}', { a: { b: 8080 } }, '8080'],
    ['{{ toJson .Values.a | quote }}', { a: 1_000_000 }, '"1000000"'],
    ['{{ toJson .Values.a }}', { a: 0.5 }, '0.5'],
    ['{{ if .Values.a }}a{{ else if .Values.b }}b{{ else }}c{{ end }}', { b: 1 }, 'b'],
    ['{{ if .Values.a }}a{{ else }}c{{ end }}', { a: 0 }, 'c'],
    ['{{ if .Values.a }}a{{ else }}c{{ end }}', { a: {} }, 'c'],
    [
      '{{ range $k, $v := .Values.a }}{{ $k }}={{ $v }};{{ end }}',
      { a: { z: 1, b: 2 } },
      'b=2;z=1;',
    ],
    [
      '{{ range $v := .Values.a }}{{ $v }}{{ $.Values.b }}{{ end }}',
      { a: ['x', 'y'], b: 1 },
      'x1y1',
    ],
    ['{{ with .Values.a }}{{ . }}{{ $.Values.b }}{{ end }}', { a: 'x', b: 'y' }, 'xy'],
    ['{{ define "d" }}<{{ .b }}>{{ end }}{{ include "d" .Values.a }}', { a: { b: 1 } }, '<1>'],
    ['a:{{ toYaml .Values.a | nindent 2 }}', { a: { b: ['on', 1] } }, 'a:\n  b:\n  - "on"\n  - 1'],
    ['{{ default "x" .Values.a }}{{ .Values.b | default "y" }}', { a: '', b: 'z' }, 'xz'],
    ['{{ if gt (int .Values.a) 1 }}many{{ end }}', { a: 2 }, 'many'],
    ['{{ printf "%s-%s" "a" .Values.b | trunc 3 | trimSuffix "b" }}', { b: 'bc' }, 'a-'],
    ['{{ or .Values.a .Values.b }}{{ and .Values.b "x" }}', { a: '', b: 'y' }, 'yx'],
    ['{{ quote .Values.a }}', { a: 'é"\\<&' }, '"é\\"\\\\<&"'],
  ]

  for (const [source, values, text] of rendered) {
    it(`renders ${JSON.stringify(source)}`, () => assert.equal(render(source, values), text))
  }

  const refused: readonly [source: string, message: RegExp][] = [
    ['{{ .Values.a }}', /nothing cannot be printed/],
    ['{{ .Values.a.b }}', /has no fields/],
    ['{{ .Values.million }}', /cannot be printed; use toJson/],
    ['{{ quote .Values.million }}', /cannot be printed; use toJson/],
    ['{{ if gt .Values.million 1 }}{{ end }}', /not an integer; use int/],
    ['{{ if eq .Values.million 1 }}{{ end }}', /cannot be compared/],
    ['{{ lookup "v1" "Secret" "x" "y" }}', /lookup is not supported/],
    ['{{ template "x" . }}', /template is not supported/],
    ['{{ include "x" . }}', /x is not defined/],
    ['{{ $x }}', /\$x is not defined/],
    ['{{ $x := 1 }}', /not in the supported part/],
    ['{{ range .Values.a }}{{ end }}', /has to name its variables/],
    ['{{ range $v := .Values.million }}{{ end }}', /needs a list or a map/],
    ['{{ range $v := .Values.a }}{{ else }}{{ end }}', /not supported in/],
    ['{{ with .Values.a }}{{ else with .Values.b }}{{ end }}', /not supported in/],
    ['{{ if .Values.a }}', /has no \{\{ end \}\}/],
    ['{{ end }}', /outside of a block/],
    ['{{ "x" .Values.a }}', /not in the supported part/],
    ['{{ 1.5 }}', /not in the supported part/],
    ['{{ (quote "x" }}', /not in the supported part/],
    ['{{ printf "%d" 1 }}', /%s only/],
    ['{{ "\\u0007" | quote }}', /control character/],
    ['{{ toJson .Values }}', /numbers only/],
  ]

  for (const [source, message] of refused) {
    it(`is refused: ${JSON.stringify(source)}`, () => {
      assert.throws(
        () => render(source, { million: 1_000_000 }),
        (error) =>
          error instanceof TemplateError &&
          message.test(error.message) &&
          error.message.startsWith('x.yaml: '),
      )
    })
  }
})
