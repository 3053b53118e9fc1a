/** The Helm chart, rendered by the template engine and the functions that Helm itself uses. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findGoRenderer } from '../support/go-templates.ts'
import { chartCases, refusedValues, renderFiles, renderFilesWithGo } from '../support/helm.ts'

const renderer = await findGoRenderer()
const missing = 'missing' in renderer ? renderer.missing : false
const render = renderer as Exclude<typeof renderer, { readonly missing: string }>

describe('the templates of the chart mean the same in Go', { skip: missing }, () => {
  for (const [name, values] of Object.entries(chartCases)) {
    it(`with ${name}`, async () => {
      assert.deepEqual(await renderFilesWithGo(render, values), renderFiles(values))
    })
  }

  for (const [name, [values, message]] of Object.entries(refusedValues)) {
    it(`which refuses ${name}`, () => assert.rejects(renderFilesWithGo(render, values), message))
  }
})
