/** The Helm chart as it is in the repository: rendered for values that its schema accepts. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { parse, parseAllDocuments } from 'yaml'
import { findGoRenderer, type GoRenderer } from './go-templates.ts'
import type { KubernetesObject } from './kubernetes.ts'

export interface Values {
  readonly [name: string]: unknown
}

const renderer = await findGoRenderer()

/** Why charts cannot be rendered here, or false. */
export const cannotRender: string | false = 'missing' in renderer && renderer.missing

const folder = fileURLToPath(new URL('../../deploy/helm/selvedge', import.meta.url))

export const readChartFile = (file: string): string => readFileSync(`${folder}/${file}`, 'utf8')

export const chartMetadata: Values = parse(readChartFile('Chart.yaml'))

const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(
  JSON.parse(readChartFile('values.schema.json')),
)

/** What the schema refuses about values, as `/path keyword`. Helm validates them once merged. */
export const schemaProblems = (values: Values): readonly string[] =>
  validate(mergedValues(values))
    ? []
    : (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`)

/** Values over those of values.yaml, which Helm reads as YAML 1.1. */
export const mergedValues = (values: Values): Values =>
  mergeValues(parse(readChartFile('values.yaml'), { version: '1.1' }), values)

/** Objects are merged, and null removes a value, as in Helm. */
const mergeValues = (base: Values, over: Values): Values => {
  const merged: { [name: string]: unknown } = { ...base }
  for (const [name, value] of Object.entries(over)) {
    const before = merged[name]
    if (value === null) delete merged[name]
    else merged[name] = isObject(value) && isObject(before) ? mergeValues(before, value) : value
  }
  return merged
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The text of every template that is not empty, by file. Rejects with what Go reports. */
export const renderFiles = async (
  values: Values,
  release: Values = {},
): Promise<ReadonlyMap<string, string>> => {
  const { name, version, appVersion } = chartMetadata
  const files = await (renderer as GoRenderer)(`${folder}/templates`, {
    Values: mergedValues(values),
    Chart: { Name: name, Version: version, AppVersion: appVersion },
    Release: { Name: 'selvedge', Namespace: 'records', Service: 'Helm', ...release },
  })
  return new Map(
    Object.entries(files)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([file, text]) => [file, `${text.trim()}\n`] as const)
      .filter(([, text]) => text !== '\n'),
  )
}

/** What is installed, as one text. */
export const renderManifest = async (values: Values, release?: Values): Promise<string> =>
  [...(await renderFiles(values, release))]
    .filter(([file]) => file.endsWith('.yaml'))
    .map(([, text]) => text)
    .join('---\n')

/** The objects that are installed. */
export const renderObjects = async (
  values: Values,
  release?: Values,
): Promise<readonly KubernetesObject[]> => objectsIn(await renderManifest(values, release))

/** The objects of a manifest, read as Kubernetes reads them. */
export const objectsIn = (text: string): readonly KubernetesObject[] =>
  parseAllDocuments(text, { version: '1.1' }).map((document) => {
    const [error] = document.errors
    if (error) throw error
    return document.toJS()
  })

const postgresUrl = 'postgres://selvedge:secret@db.example.com:5432/selvedge'

/** Values that people choose, by what they want. */
export const chartCases: { readonly [name: string]: Values } = {
  'the defaults': {},
  'PostgreSQL with three replicas': {
    database: 'postgres',
    replicas: 3,
    secret: {
      values: { DATABASE_URL: postgresUrl, REDIS_URL: 'redis://cache.example.com:6379' },
    },
    settings: { IMAGES_URL: 's3://images/prod?region=eu-central-1' },
  },
  'PostgreSQL with a Secret that exists': {
    database: 'postgres',
    replicas: 2,
    secret: { existing: 'records-access' },
    settings: { IMAGES_URL: 's3://images/prod' },
  },
  'PostgreSQL with images in a shared volume': {
    database: 'postgres',
    replicas: 2,
    secret: { values: { DATABASE_URL: postgresUrl } },
    persistence: { accessMode: 'ReadWriteMany', storageClass: 'shared', size: '1Ti' },
  },
  'records received over HTTP': { settings: { INGEST_PORT: 8090, INGEST_RATE_PER_SECOND: 0.5 } },
  'an ingress with TLS': {
    ingress: {
      enabled: true,
      className: 'nginx',
      hosts: ['records.example.com', 'api.example.com'],
      tlsSecretName: 'records-tls',
      annotations: { 'cert-manager.io/cluster-issuer': 'letsencrypt' },
    },
    settings: { OAUTH: true, TRUSTED_PROXIES: ['10.0.0.0/8', '::1'] },
  },
  'an ingress that also forwards records': {
    ingress: { enabled: true, hosts: ['records.example.com'], ingest: true },
    settings: { INGEST_PORT: 8090 },
  },
  'a ServiceMonitor': {
    metrics: { annotations: false, serviceMonitor: { enabled: true, labels: { release: 'main' } } },
  },
  'no metrics': { settings: { METRICS_PORT: null } },
  'a trial without a volume': { persistence: { enabled: false } },
  'large numbers, texts and switches': {
    settings: {
      DOWNLOAD_RECORDS: 1_000_000_000,
      RATE_PER_SECOND: 1_000_000,
      RESPONSE_CACHE_MB: 0,
      MCP: false,
      CHANGE_FEED: true,
      LOG_LEVEL: 'warn',
      CORS_ORIGINS: ['https://app.example.com', 'http://localhost:5173'],
      INGEST_MAPS: '/maps/"erp"\\é',
    },
  },
  'everything that is passed on': {
    image: { repository: 'images.example.com/selvedge', digest: `sha256:${'0a'.repeat(32)}` },
    imagePullSecrets: [{ name: 'registry' }],
    fullnameOverride: 'records',
    podLabels: { team: 'data' },
    podAnnotations: { note: 'on' },
    serviceAccount: { create: false, name: 'readers' },
    service: { type: 'LoadBalancer', annotations: { 'example.com/internal': 'true' } },
    persistence: { existingClaim: 'old-data' },
    volumes: [{ name: 'maps', configMap: { name: 'maps' } }],
    volumeMounts: [{ name: 'maps', mountPath: '/maps' }],
    settings: { INGEST_MAPS: '/maps' },
    nodeSelector: { disk: 'ssd' },
    affinity: { nodeAffinity: {} },
    tolerations: [{ key: 'dedicated', operator: 'Exists' }],
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone' }],
    resources: {},
  },
}

const bucket = { settings: { IMAGES_URL: 's3://images' } }
const secret = { values: { DATABASE_URL: 'postgres://db/selvedge' } }

/** Values that are valid one by one and do not work together, and what the chart says about them. */
export const refusedValues: {
  readonly [name: string]: readonly [values: Values, message: RegExp]
} = {
  'several replicas on SQLite': [{ replicas: 2 }, /cannot share a SQLite database/],
  'PostgreSQL without its URL': [{ database: 'postgres' }, /PostgreSQL needs its URL/],
  'a URL of PostgreSQL with SQLite': [{ secret }, /not used with SQLite/],
  'several replicas with images of their own': [
    { database: 'postgres', replicas: 2, secret },
    /ReadWriteMany/,
  ],
  'several replicas with images that are deleted': [
    {
      ...{ database: 'postgres', replicas: 2, secret },
      persistence: { enabled: false, accessMode: 'ReadWriteMany' },
    },
    /persistence\.enabled/,
  ],
  'two places for secrets': [
    { database: 'postgres', secret: { ...secret, existing: 'x' }, ...bucket },
    /not used with secret\.existing/,
  ],
  'an ingress without a host': [{ ingress: { enabled: true } }, /ingress\.hosts/],
  'a route to an ingest port that is not there': [{ ingress: { ingest: true } }, /INGEST_PORT/],
  'a ServiceMonitor without metrics': [
    { metrics: { serviceMonitor: { enabled: true } }, settings: { METRICS_PORT: null } },
    /METRICS_PORT/,
  ],
}
