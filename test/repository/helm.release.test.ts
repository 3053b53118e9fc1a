/** The Helm chart: its values are the settings, and what it renders is what Kubernetes expects. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { releaseOf, settings } from '#config'
import { ingestBasePath } from '#contract'
import { readServiceConfig } from '#server'
import { until } from '../support/cluster.ts'
import {
  cannotRender,
  chartCases,
  chartMetadata,
  mergedValues,
  readChartFile,
  renderFiles,
  renderObjects,
  schemaProblems,
  type Values,
} from '../support/helm.ts'
import {
  containerOf,
  environmentOf,
  type KubernetesObject,
  kubernetesProblems,
  objectOf,
} from '../support/kubernetes.ts'
import { freePort } from '../support/postgres.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const outside = { 'records-access': { DATABASE_URL: 'postgres://db.example.com/selvedge' } }
const casesNamed = (name: string): Values => {
  const values = chartCases[name]
  assert.ok(values, name)
  return values
}
const kindsOf = (objects: readonly KubernetesObject[]) => objects.map(({ kind }) => kind).sort()

describe('the rendered chart', { skip: cannotRender }, () => {
  for (const [name, values] of Object.entries(chartCases)) {
    it(`is valid and configures the server, with ${name}`, async () => {
      assert.deepEqual(schemaProblems(values), [])
      const objects = await renderObjects(values)
      assert.deepEqual(kubernetesProblems(objects), [])
      const config = readServiceConfig(environmentOf(objects, outside))
      const ports = Object.fromEntries(
        containerOf(objects).ports.map(({ name, containerPort }) => [name, containerPort]),
      )
      assert.equal(config.port, ports['http'])
      assert.equal(config.metricsPort, ports['metrics'] ?? null)
      assert.equal(config.ingestPort, ports['ingest'] ?? null)
      assert.equal(config.production, true)
    })
  }

  it('is one pod with SQLite in a volume by default', async () => {
    const objects = await renderObjects({})
    assert.deepEqual(kindsOf(objects), [
      'Deployment',
      'PersistentVolumeClaim',
      'Service',
      'ServiceAccount',
    ])
    const { spec } = objectOf(objects, 'Deployment')
    assert.equal(spec.replicas, 1)
    assert.deepEqual(spec.strategy, { type: 'Recreate' })
    const { databaseUrl, imagesUrl } = readServiceConfig(environmentOf(objects))
    const [, data] = spec.template.spec.volumes
    assert.equal(data.persistentVolumeClaim.claimName, 'selvedge')
    assert.equal(containerOf(objects)['volumeMounts'][1].mountPath, '/data')
    assert.deepEqual([databaseUrl, imagesUrl], ['sqlite:/data/selvedge.db', 'file:/data/images'])
  })

  it('runs three replicas on PostgreSQL with a budget, credentials in a Secret, and no volume', async () => {
    const objects = await renderObjects(casesNamed('PostgreSQL with three replicas'))
    assert.deepEqual(kindsOf(objects), [
      ...['Deployment', 'PodDisruptionBudget', 'Secret', 'Service', 'ServiceAccount'],
    ])
    const { spec } = objectOf(objects, 'Deployment')
    assert.equal(spec.replicas, 3)
    assert.equal(spec.strategy.rollingUpdate.maxUnavailable, 0)
    assert.match(spec.template.metadata.annotations['checksum/secret'], /^[0-9a-f]{64}$/)
    const config = readServiceConfig(environmentOf(objects))
    assert.match(config.databaseUrl, /^postgres:/)
    assert.equal(config.redisUrl, 'redis://cache.example.com:6379')
    const text = [...(await renderFiles(casesNamed('PostgreSQL with three replicas')))]
      .filter(([file]) => file !== 'secret.yaml')
      .join()
    assert.ok(!text.includes('db.example.com'), 'the URL is in the Secret only')
  })

  it('reads settings that give access from a Secret that exists', async () => {
    const objects = await renderObjects(casesNamed('PostgreSQL with a Secret that exists'))
    assert.ok(!kindsOf(objects).includes('Secret'))
    assert.throws(() => environmentOf(objects, { 'records-access': {} }), /DATABASE_URL/)
    const everything = Object.fromEntries(
      settings.filter(({ isSecret }) => isSecret).map(({ name }) => [name, `the ${name}`]),
    )
    const environment = environmentOf(objects, { 'records-access': everything })
    assert.deepEqual({ ...environment, ...everything }, environment)
  })

  it('exposes the ingest port when records are received', async () => {
    const { spec } = objectOf(
      await renderObjects(casesNamed('records received over HTTP')),
      'Service',
    )
    assert.deepEqual(spec.ports, [
      { name: 'http', port: 80, targetPort: 'http' },
      { name: 'ingest', port: 8081, targetPort: 'ingest' },
    ])
  })

  it('has an ingress with TLS, whose first host is the public URL', async () => {
    const objects = await renderObjects(casesNamed('an ingress with TLS'))
    const { spec } = objectOf(objects, 'Ingress')
    assert.deepEqual(spec.tls, [
      { secretName: 'records-tls', hosts: ['records.example.com', 'api.example.com'] },
    ])
    assert.equal(spec.rules.length, 2)
    const config = readServiceConfig(environmentOf(objects))
    assert.equal(config.publicUrl, 'https://records.example.com')
    assert.deepEqual(config.trustedProxies, ['10.0.0.0/8', '::1'])
  })

  it('forwards the path of the ingest API to its port', async () => {
    const objects = await renderObjects(casesNamed('an ingress that also forwards records'))
    const [rule] = objectOf(objects, 'Ingress')['spec'].rules
    const [ingest, rest] = rule.http.paths
    assert.deepEqual([ingest.path, ingest.backend.service.port.name], [ingestBasePath, 'ingest'])
    assert.deepEqual([rest.path, rest.backend.service.port.name], ['/', 'http'])
  })

  it('passes numbers, texts and switches on as they are written', async () => {
    const objects = await renderObjects(casesNamed('large numbers, texts and switches'))
    const config = readServiceConfig(environmentOf(objects))
    assert.equal(config.downloadRecords, 1_000_000_000)
    assert.equal(config.ratePerSecond, 1_000_000)
    assert.equal(config.responseCacheMegabytes, 0)
    assert.deepEqual([config.mcp, config.changeFeed], [false, true])
    assert.equal(config.ingestMaps, '/maps/"erp"\\é')
    assert.deepEqual(config.corsOrigins, ['https://app.example.com', 'http://localhost:5173'])
  })

  it('has names that a release of any name can have', async () => {
    const name = `a${'b'.repeat(51)}-`
    const objects = await renderObjects(
      { metrics: { serviceMonitor: { enabled: true } } },
      { Name: `${name}c` },
    )
    assert.deepEqual(kubernetesProblems(objects), [])
    assert.equal(
      objectOf(await renderObjects({}, { Name: 'shop' }), 'Service').metadata.name,
      'shop-selvedge',
    )
  })

  it('says what to do next', async () => {
    const notes = async (values: Values) => (await renderFiles(values)).get('NOTES.txt') ?? ''
    assert.match(await notes({}), /port-forward service\/selvedge 8080:80/)
    assert.match(
      await notes(casesNamed('an ingress with TLS')),
      /^ {2}https:\/\/api\.example\.com\/$/m,
    )
    assert.match(await notes(casesNamed('a trial without a volume')), /deleted with the pod/)
    assert.doesNotMatch(await notes({}), /deleted with the pod|TRUSTED_PROXIES|REDIS_URL/)
  })

  it('starts a server that passes the probes on every port', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'selvedge-helm-'))
    const [port, metrics, ingest] = [await freePort(), await freePort(), await freePort()]
    const objects = await renderObjects({
      settings: { HOST: '127.0.0.1', PORT: port, METRICS_PORT: metrics, INGEST_PORT: ingest },
    })
    const environment = Object.entries(environmentOf(objects)).map(([name, text]) => [
      name,
      text.replace(':/data/', `:${folder}/`),
    ])
    const child = spawn(process.execPath, ['src/cli/main.ts', 'serve'], {
      cwd: root,
      env: { PATH: process.env['PATH'], ...Object.fromEntries(environment) },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said += text
    })
    try {
      await until(() => {
        assert.equal(child.exitCode, null, said)
        return said.includes('Ctrl+C')
      })
      const container = containerOf(objects)
      const statusOf = async (at: number, path: string) =>
        (await fetch(`http://127.0.0.1:${at}${path}`)).status
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
        assert.equal(await statusOf(port, container[probe].httpGet.path), 200, probe)
      }
      assert.equal(await statusOf(metrics, '/metrics'), 200)
      assert.equal(await statusOf(ingest, `${ingestBasePath}/brands/acme/batches/1`), 401)
    } finally {
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    }
    assert.equal(await ended, 0)
  })
})

describe('values that do not work', async () => {
  const invalid: { readonly [name: string]: readonly [values: Values, problem: string] } = {
    'an unknown value': [{ replica: 2 }, ' additionalProperties'],
    'an unknown setting': [{ settings: { RATE: 2 } }, '/settings additionalProperties'],
    'a secret among the settings': [
      { settings: { REDIS_URL: 'redis://x' } },
      '/settings additionalProperties',
    ],
    'a text for a number': [{ settings: { RATE_BURST: '100' } }, '/settings/RATE_BURST type'],
    'a number out of its range': [
      { settings: { INGEST_BODIES: 1 } },
      '/settings/INGEST_BODIES minimum',
    ],
    'a fraction for a whole number': [{ replicas: 1.5 }, '/replicas type'],
    'a port that is selected at random': [{ settings: { PORT: 0 } }, '/settings/PORT minimum'],
    'a text for a switch': [{ settings: { MCP: 'yes' } }, '/settings/MCP type'],
    'an unknown choice': [{ settings: { LOG_LEVEL: 'loud' } }, '/settings/LOG_LEVEL enum'],
    'an unknown database': [{ database: 'mysql' }, '/database enum'],
    'a text for a list': [
      { settings: { TRUSTED_PROXIES: '10.0.0.1' } },
      '/settings/TRUSTED_PROXIES type',
    ],
    'no port': [{ settings: { PORT: null } }, '/settings required'],
    'a digest that is none': [{ image: { digest: 'latest' } }, '/image/digest pattern'],
  }

  for (const [name, [values, problem]] of Object.entries(invalid)) {
    it(`are refused by the schema: ${name}`, () => {
      assert.deepEqual(schemaProblems(values), [problem])
    })
  }
})

describe('values.yaml', { skip: cannotRender }, () => {
  it('has every setting, and its comments are valid values that the server accepts', async () => {
    const uncommented = readChartFile('values.yaml').replaceAll(/^ {2}# ([A-Z_]+:.*)$/gm, '  $1')
    const values: Values = parse(uncommented, { version: '1.1' })
    const named = (group: unknown) => Object.keys(group as Values)
    assert.deepEqual(
      [...named(values['settings']), ...named((values['secret'] as Values)['values'])].sort(),
      settings.map(({ name }) => name).sort(),
    )
    assert.deepEqual(schemaProblems(values), [])
    const fromChart = readServiceConfig(environmentOf(await renderObjects(values)))
    assert.deepEqual(fromChart, readServiceConfig(environmentOf(await renderObjects({}))))
  })

  it('has the defaults that the schema names', () => {
    const differences = (schema: Values, value: unknown, path: string): readonly string[] => {
      const { properties } = schema as { properties?: { readonly [name: string]: Values } }
      if (!properties) {
        const isEqual = JSON.stringify(schema['default']) === JSON.stringify(value)
        return isEqual ? [] : [path]
      }
      return Object.entries(value as Values).flatMap(([name, each]) =>
        differences(properties[name] ?? {}, each, `${path}/${name}`),
      )
    }
    const schema = JSON.parse(readChartFile('values.schema.json'))
    assert.deepEqual(differences(schema, mergedValues({}), ''), [])
    assert.deepEqual(differences(schema, mergedValues({ replicas: 3 }), ''), ['/replicas'])
  })
})

describe('the chart and what belongs to it', { skip: cannotRender }, () => {
  it('has the version of the program, which is the tag of the image', async () => {
    const version = await releaseOf()
    assert.equal(chartMetadata['version'], version)
    assert.equal(chartMetadata['appVersion'], version)
    assert.equal(containerOf(await renderObjects({}))['image'], `selvedge:${version}`)
  })

  it('runs as the user of the image, with its data where the image has it', async () => {
    const docker = readFileSync(join(root, 'Dockerfile'), 'utf8')
    const objects = await renderObjects({})
    const { runAsUser, runAsGroup } = objectOf(objects, 'Deployment')['spec'].template.spec
      .securityContext
    assert.match(docker, new RegExp(`^USER ${runAsUser}:${runAsGroup}$`, 'm'))
    const { databaseUrl, imagesUrl, host } = readServiceConfig(environmentOf(objects))
    for (const text of [`DATABASE_URL=${databaseUrl}`, `IMAGES_URL=${imagesUrl}`, `HOST=${host}`]) {
      assert.ok(docker.includes(text), text)
    }
  })

  it('works with the values of the guide', async () => {
    const guide = readFileSync(join(root, 'docs/how-to/run-in-containers.md'), 'utf8')
    const values: Values = parse(/```yaml\n([\s\S]*?)```/.exec(guide)?.[1] ?? '')
    assert.deepEqual(schemaProblems(values), [])
    const objects = await renderObjects(values)
    assert.deepEqual(kubernetesProblems(objects), [])
    assert.equal(objectOf(objects, 'Deployment')['spec'].replicas, 3)
    const { publicUrl, ingestPort } = readServiceConfig(environmentOf(objects, outside))
    assert.deepEqual([publicUrl, ingestPort], ['https://records.example.com', 8090])
  })
})
