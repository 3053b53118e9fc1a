/** What the Helm chart refuses, and the manifest that is rendered from it for clusters without Helm. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import {
  cannotRender,
  objectsIn,
  refusedValues,
  renderFiles,
  renderManifest,
  schemaProblems,
} from '../support/helm.ts'
import { kubernetesProblems } from '../support/kubernetes.ts'

describe('values that do not work together', { skip: cannotRender }, () => {
  for (const [name, [values, message]] of Object.entries(refusedValues)) {
    it(`are refused with a sentence: ${name}`, async () => {
      assert.deepEqual(schemaProblems(values), [], 'the schema cannot see it')
      await assert.rejects(renderFiles(values), message)
    })
  }
})

describe('the Kubernetes manifest', { skip: cannotRender }, () => {
  it('is what the chart renders for PostgreSQL, Redis and a bucket that run elsewhere', async () => {
    const file = new URL('../../deploy/kubernetes/selvedge.yaml', import.meta.url)
    const manifest = readFileSync(file, 'utf8').replace(/^(#.*\n)+/, '')
    const values = {
      replicas: 2,
      database: 'postgres',
      secret: { existing: 'selvedge' },
      settings: {
        IMAGES_URL: 's3://selvedge-images/prod?region=eu-central-1',
        PUBLIC_URL: 'https://records.example.com',
      },
    }
    const release = { Namespace: 'default', Service: 'kubectl' }
    assert.equal(manifest, await renderManifest(values, release))
    assert.deepEqual(kubernetesProblems(objectsIn(manifest)), [])
  })
})

describe('the checks of objects', { skip: cannotRender }, () => {
  const broken: { readonly [problem: string]: (text: string) => string } = {
    'apps/v2 has no Deployment': (text) => text.replace('apps/v1', 'apps/v2'),
    'the Deployment has no pods': (text) =>
      text.replace('app.kubernetes.io/name: selvedge\n        app', 'app'),
    'pods have a token': (text) => text.replace('automountServiceAccountToken: false', 'x: 1'),
    'files can be written': (text) => text.replace('readOnlyRootFilesystem: true', 'x: 1'),
    'LOG_LEVELS is not a setting': (text) => text.replace('name: WORKERS', 'name: LOG_LEVELS'),
    'WORKERS is there twice': (text) => text.replace('name: PORT', 'name: WORKERS'),
    'REDIS_URL is not in a Secret': (text) => text.replace('name: WORKERS', 'name: REDIS_URL'),
    'readinessProbe has no port': (text) => text.replace(/(readyz\s+port:) http/, '$1 web'),
    'volumes differ': (text) =>
      text.replace('- name: tmp\n              mount', '- name: temp\n              mount'),
    'the Service selvedge has no web': (text) =>
      text.replace('targetPort: http', 'targetPort: web'),
  }

  for (const [problem, breakIt] of Object.entries(broken)) {
    it(`find that ${problem}`, async () => {
      const text = await renderManifest({})
      assert.notEqual(breakIt(text), text)
      assert.ok(kubernetesProblems(objectsIn(breakIt(text))).includes(problem))
    })
  }
})
