/** The values of the Helm chart, the source of values.yaml and values.schema.json. */
import { type Setting, settings } from '#config'

export interface Schema {
  readonly [keyword: string]: unknown
}

/** One value, with the default of the chart. */
export interface ChartValue {
  readonly description: string
  readonly default: unknown
  readonly schema: Schema
  /** Whether values.yaml contains it as a comment, because the program has the default. */
  readonly isComment?: true
}

export interface ChartGroup {
  readonly description: string
  readonly values: { readonly [name: string]: ChartValue | ChartGroup }
  /** Values that cannot be removed. */
  readonly required?: readonly string[]
}

const value = (initial: unknown, schema: Schema, description: string): ChartValue => ({
  default: initial,
  schema,
  description,
})

const group = (description: string, values: ChartGroup['values']): ChartGroup => ({
  description,
  values,
})

const text: Schema = { type: 'string' }
const filledText: Schema = { type: 'string', minLength: 1 }
const flag: Schema = { type: 'boolean' }
const port: Schema = { type: 'integer', minimum: 1, maximum: 65_535 }
const texts: Schema = { type: 'array', items: filledText }
const textMap: Schema = { type: 'object', additionalProperties: text }
const objects: Schema = { type: 'array', items: { type: 'object' } }
const count = (minimum: number, maximum: number): Schema => ({ type: 'integer', minimum, maximum })
const choice = (...values: readonly string[]): Schema => ({ type: 'string', enum: values })
const quantity: Schema = { type: 'string', pattern: '^[0-9]+(\\.[0-9]+)?([kMGTPE]i?)?$' }

/** Overrides of the program's defaults, which are for a checkout on a developer's machine. */
const chartDefaults: { readonly [name: string]: unknown } = {
  HOST: '0.0.0.0',
  PORT: 8080,
  IMAGES_URL: 'file:/data/images',
  NODE_ENV: 'production',
  WORKERS: 1,
  METRICS_PORT: 9100,
}

const requiredSettings = ['HOST', 'PORT', 'IMAGES_URL', 'NODE_ENV']

/** Ports that must not be random, since a service needs fixed ones. */
const fixedPorts = ['PORT', 'METRICS_PORT', 'INGEST_PORT']

const settingSchema = ({ name, shape }: Setting): Schema => {
  switch (shape.kind) {
    case 'integer':
      return fixedPorts.includes(name) ? port : count(shape.least, shape.most)
    case 'number':
      return { type: 'number', exclusiveMinimum: 0, maximum: shape.most }
    case 'choice':
      return choice(...shape.values)
    // Helm's YAML reads an unquoted `on` as a boolean.
    case 'switch':
      return flag
    case 'list':
      return texts
    case 'text':
      return filledText
  }
}

const programDefault = ({ default: fallback, shape }: Setting): unknown => {
  if (shape.kind === 'list') return fallback.split(',').filter((each) => each !== '')
  if (fallback === '') return null
  if (shape.kind === 'integer' || shape.kind === 'number') return Number(fallback)
  return shape.kind === 'switch' ? fallback === 'on' : fallback
}

const settingValue = (setting: Setting): ChartValue => {
  const { name, meaning } = setting
  const schema = settingSchema(setting)
  if (requiredSettings.includes(name)) return value(chartDefaults[name], schema, meaning)
  const { type, enum: values } = schema
  const removable = {
    ...schema,
    type: [type, 'null'],
    ...(Array.isArray(values) && { enum: [...values, null] }),
  }
  return name in chartDefaults
    ? value(chartDefaults[name], removable, meaning)
    : { ...value(programDefault(setting), removable, meaning), isComment: true }
}

const valuesOf = (chosen: readonly Setting[], describe: (setting: Setting) => ChartValue) =>
  Object.fromEntries(chosen.map((setting) => [setting.name, describe(setting)]))

const probe = (periodSeconds: number, failureThreshold: number, description: string): ChartGroup =>
  group(description, {
    periodSeconds: value(periodSeconds, count(1, 3_600), 'Time between two checks.'),
    timeoutSeconds: value(2, count(1, 60), 'Time after which a check has failed.'),
    failureThreshold: value(failureThreshold, count(1, 3_600), 'Failures in a row that count.'),
  })

export const chartValues: ChartGroup = group('Values of the Selvedge chart.', {
  image: group('The container image, built by the Dockerfile of the repository.', {
    repository: value('selvedge', filledText, 'Name of the image, with its registry.'),
    tag: value('', text, 'Tag of the image. If empty, the `appVersion` of the chart.'),
    digest: value(
      '',
      { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' },
      'Digest of the image, used instead of the tag.',
    ),
    pullPolicy: value(
      'IfNotPresent',
      choice('Always', 'IfNotPresent', 'Never'),
      'When the image is pulled.',
    ),
  }),
  imagePullSecrets: value([], objects, 'Secrets for the registry, such as `- name: registry`.'),
  fullnameOverride: value(
    '',
    { type: 'string', pattern: '^([a-z]([-a-z0-9]*[a-z0-9])?)?$' },
    'Name of the objects. If empty, it is derived from the name of the release.',
  ),
  replicas: value(1, count(1, 100), 'Number of pods. More than one needs PostgreSQL.'),
  database: value(
    'sqlite',
    choice('sqlite', 'postgres'),
    '`sqlite`: a file in the persistent volume. `postgres`: the server that `DATABASE_URL` of the secret names.',
  ),
  settings: {
    ...group(
      'Settings of the program. Those that are comments show the default of the program. What is on or off is true or false here, what is separated by commas is a list, and a port cannot be 0.',
      valuesOf(
        settings.filter(({ isSecret }) => !isSecret),
        settingValue,
      ),
    ),
    required: requiredSettings,
  },
  secret: group('Settings that give access to something.', {
    existing: value(
      '',
      text,
      'Name of a Secret with these settings as keys. `DATABASE_URL` is needed with PostgreSQL, the others are optional.',
    ),
    values: group(
      'Settings for a Secret that the chart creates, if `secret.existing` is empty.',
      valuesOf(
        settings.filter(({ isSecret }) => isSecret),
        ({ meaning }) => value('', text, meaning),
      ),
    ),
  }),
  persistence: group('The volume for `/data`: the SQLite database, and images in files.', {
    enabled: value(
      true,
      flag,
      'Whether the volume is persistent. If false, records are deleted with the pod.',
    ),
    existingClaim: value('', text, 'Name of a PersistentVolumeClaim to use instead of a new one.'),
    size: value('10Gi', quantity, 'Size of the volume.'),
    accessMode: value(
      'ReadWriteOnce',
      choice('ReadWriteOnce', 'ReadWriteOncePod', 'ReadWriteMany'),
      'Access mode of the volume. SQLite needs a volume with working file locks, which network file systems often lack.',
    ),
    storageClass: value('', text, 'Storage class. If empty, the default of the cluster.'),
    annotations: value(
      { 'helm.sh/resource-policy': 'keep' },
      textMap,
      'Annotations of the claim. `helm uninstall` keeps the volume by default.',
    ),
  }),
  temporarySize: value(
    '1Gi',
    quantity,
    'Size limit of `/tmp`, the only other folder that can be written to.',
  ),
  service: group('The Service in front of the pods.', {
    type: value(
      'ClusterIP',
      choice('ClusterIP', 'NodePort', 'LoadBalancer'),
      'Type of the Service.',
    ),
    port: value(80, port, 'Port of the API.'),
    ingestPort: value(
      8081,
      port,
      'Port on which records are received, if `settings.INGEST_PORT` is set.',
    ),
    annotations: value({}, textMap, 'Annotations of the Service.'),
  }),
  ingress: group(
    'An Ingress for the API. If `settings.PUBLIC_URL` is not set, it is derived from the first host.',
    {
      enabled: value(false, flag, 'Whether there is an Ingress.'),
      className: value('', text, 'Ingress class. If empty, the default of the cluster.'),
      annotations: value({}, textMap, 'Annotations of the Ingress.'),
      hosts: value([], texts, 'Host names, such as `- records.example.com`.'),
      tlsSecretName: value(
        '',
        text,
        'Name of the Secret with the certificate of the hosts. If empty, the Ingress has no TLS.',
      ),
      ingest: value(
        false,
        flag,
        'Whether the Ingress also forwards `/api/ingest/v1` to the ingest port.',
      ),
    },
  ),
  metrics: group(
    'Prometheus metrics, on the port `settings.METRICS_PORT`. Set that to null to turn them off.',
    {
      annotations: value(
        true,
        flag,
        'Whether pods have the annotations `prometheus.io/scrape` and `prometheus.io/port`.',
      ),
      serviceMonitor: group('A ServiceMonitor of the Prometheus operator.', {
        enabled: value(
          false,
          flag,
          'Whether there is a ServiceMonitor, with a Service for metrics.',
        ),
        interval: value(
          '30s',
          { type: 'string', pattern: '^[0-9]+(ms|s|m)$' },
          'Time between two scrapes.',
        ),
        labels: value({}, textMap, 'Labels by which Prometheus selects the ServiceMonitor.'),
      }),
    },
  ),
  probes: group(
    'Checks of the pods. `/healthz` succeeds while a database is converted or cannot be reached.',
    {
      startup: probe(2, 30, 'Restarts a pod that does not start: `/healthz`.'),
      liveness: probe(10, 3, 'Restarts a pod that does not respond: `/healthz`.'),
      readiness: probe(2, 1, 'Routes requests to a pod only while it is ready: `/readyz`.'),
    },
  ),
  preStopSeconds: value(
    5,
    count(1, 300),
    'Time in which the cluster stops routing requests to a pod, before the pod gets the signal to stop.',
  ),
  terminationGracePeriodSeconds: value(
    20,
    count(1, 3_600),
    'Time after which a pod is killed: `preStopSeconds`, and 15 seconds to complete requests.',
  ),
  resources: value(
    { requests: { cpu: '500m', memory: '256Mi' }, limits: { memory: '512Mi' } },
    { type: 'object' },
    'Resources of a pod with one worker.',
  ),
  podDisruptionBudget: group(
    'A limit on pods that are stopped at the same time, with several replicas.',
    {
      enabled: value(true, flag, 'Whether there is a PodDisruptionBudget.'),
      maxUnavailable: value(1, count(1, 100), 'Pods that can be stopped at the same time.'),
    },
  ),
  serviceAccount: group(
    'The account of the pods. They get no token, as they do not use the API of the cluster.',
    {
      create: value(true, flag, 'Whether the chart creates it.'),
      name: value('', text, 'Its name. If empty, the name of the other objects.'),
      annotations: value({}, textMap, 'Its annotations.'),
    },
  ),
  podLabels: value({}, textMap, 'Further labels of the pods.'),
  podAnnotations: value({}, textMap, 'Further annotations of the pods.'),
  volumes: value(
    [],
    objects,
    'Further volumes, for example a ConfigMap with the mappings of `settings.INGEST_MAPS`.',
  ),
  volumeMounts: value([], objects, 'Where further volumes are mounted.'),
  nodeSelector: value({}, textMap, 'Labels of the machines that pods can run on.'),
  affinity: value({}, { type: 'object' }, 'Affinity of the pods.'),
  tolerations: value([], objects, 'Tolerations of the pods.'),
  topologySpreadConstraints: value([], objects, 'How pods are spread over machines and zones.'),
})
