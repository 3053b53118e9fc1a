/** What Kubernetes and a person who operates it expect of the objects of one application. */
import { settings } from '#config'

export interface KubernetesObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels: Labels }
  // biome-ignore lint/suspicious/noExplicitAny: objects of every kind are read by their paths.
  readonly [field: string]: any
}

type Labels = { readonly [name: string]: string }

export interface Container {
  readonly env: readonly EnvironmentEntry[]
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  // biome-ignore lint/suspicious/noExplicitAny: a container is read by its paths.
  readonly [field: string]: any
}

interface EnvironmentEntry {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: {
    readonly secretKeyRef: { readonly name: string; readonly key: string; readonly optional?: true }
  }
}

const apiVersions: { readonly [kind: string]: string } = {
  Deployment: 'apps/v1',
  Ingress: 'networking.k8s.io/v1',
  PersistentVolumeClaim: 'v1',
  PodDisruptionBudget: 'policy/v1',
  Secret: 'v1',
  Service: 'v1',
  ServiceAccount: 'v1',
  ServiceMonitor: 'monitoring.coreos.com/v1',
}

export const objectOf = (objects: readonly KubernetesObject[], kind: string): KubernetesObject => {
  const [object, ...more] = objects.filter((each) => each.kind === kind)
  if (object && more.length === 0) return object
  throw new Error(`there is not one ${kind}`)
}

export const containerOf = (objects: readonly KubernetesObject[]): Container =>
  objectOf(objects, 'Deployment')['spec'].template.spec.containers[0]

/** The environment that a container gets. `outside` are the Secrets that are not among the objects. */
export const environmentOf = (
  objects: readonly KubernetesObject[],
  outside: { readonly [secret: string]: Labels } = {},
): { readonly [name: string]: string } => {
  const secrets: { readonly [secret: string]: Labels } = {
    ...outside,
    ...Object.fromEntries(
      objects
        .filter(({ kind }) => kind === 'Secret')
        .map(({ metadata, stringData }) => [metadata.name, stringData]),
    ),
  }
  return Object.fromEntries(
    containerOf(objects).env.flatMap(({ name, value, valueFrom }) => {
      const reference = valueFrom?.secretKeyRef
      const text = reference ? secrets[reference.name]?.[reference.key] : value
      if (text !== undefined) return [[name, text]]
      if (reference?.optional) return []
      throw new Error(`${name} has no value`)
    }),
  )
}

/** Everything that is wrong with the objects. */
export const kubernetesProblems = (objects: readonly KubernetesObject[]): readonly string[] => [
  ...objects.flatMap(identityProblems),
  ...duplicates(objects.map(({ kind, metadata }) => `${kind} ${metadata?.name}`)),
  ...podProblems(objectOf(objects, 'Deployment')),
  ...environmentProblems(containerOf(objects)),
  ...referenceProblems(objects),
]

const identityProblems = ({ apiVersion, kind, metadata }: KubernetesObject): readonly string[] => [
  ...problem(apiVersions[kind] !== apiVersion, `${apiVersion} has no ${kind}`),
  ...problem(
    !/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(metadata.name),
    `${metadata.name} is not a name for a ${kind}`,
  ),
  ...Object.entries(metadata.labels).flatMap(([name, value]) =>
    problem(
      typeof value !== 'string' || !/^[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/.test(value),
      `${name} of the ${kind} is not a valid label`,
    ),
  ),
]

const podProblems = ({ spec }: KubernetesObject): readonly string[] => {
  const { metadata, spec: pod } = spec.template
  const [container] = pod.containers
  const mounted = container.volumeMounts.map(({ name }: { name: string }) => name)
  const volumes = pod.volumes.map(({ name }: { name: string }) => name)
  const ports: readonly string[] = container.ports.map(({ name }: { name: string }) => name)
  const numbers = container.ports.map(({ containerPort }: { containerPort: unknown }) =>
    String(containerPort),
  )
  return [
    ...problem(!selects(spec.selector.matchLabels, metadata.labels), 'the Deployment has no pods'),
    ...problem(!Number.isInteger(spec.replicas), 'replicas is not a whole number'),
    ...problem(pod.automountServiceAccountToken !== false, 'pods have a token'),
    ...problem(pod.securityContext.runAsNonRoot !== true, 'pods may run as root'),
    ...problem(container.securityContext.readOnlyRootFilesystem !== true, 'files can be written'),
    ...problem(container.securityContext.allowPrivilegeEscalation !== false, 'privileges can grow'),
    ...problem(container.securityContext.capabilities.drop[0] !== 'ALL', 'there are capabilities'),
    ...problem(
      pod.terminationGracePeriodSeconds <= container.lifecycle.preStop.sleep.seconds,
      'a pod is killed before it gets the signal to stop',
    ),
    ...problem(String([...mounted].sort()) !== String([...volumes].sort()), 'volumes differ'),
    ...['startupProbe', 'livenessProbe', 'readinessProbe'].flatMap((probe) =>
      problem(!ports.includes(container[probe]?.httpGet.port), `${probe} has no port`),
    ),
    ...duplicates(ports),
    ...duplicates(numbers),
    ...Object.values(metadata.annotations ?? {}).flatMap((value) =>
      problem(typeof value !== 'string', `${value} is an annotation that is not a text`),
    ),
  ]
}

const environmentProblems = ({ env }: Container): readonly string[] => [
  ...duplicates(env.map(({ name }) => name)),
  ...env.flatMap(({ name, value, valueFrom }) => {
    const setting = settings.find((each) => each.name === name)
    return [
      ...problem(!setting, `${name} is not a setting`),
      ...problem((typeof value === 'string') === Boolean(valueFrom), `${name} is not one text`),
      ...problem(
        Boolean(setting?.isSecret) && value !== undefined && !value.startsWith('sqlite:'),
        `${name} is not in a Secret`,
      ),
    ]
  }),
]

/** Names by which an object refers to another. */
const referenceProblems = (objects: readonly KubernetesObject[]): readonly string[] => {
  const pods: Labels = objectOf(objects, 'Deployment')['spec'].template.metadata.labels
  const ports = containerOf(objects).ports.map(({ name }) => name)
  const services = objects.filter(({ kind }) => kind === 'Service')
  const problems: { readonly [kind: string]: (object: KubernetesObject) => readonly string[] } = {
    Service: ({ metadata, spec }) => [
      ...problem(!selects(spec.selector, pods), `the Service ${metadata.name} has no pods`),
      ...spec.ports.flatMap(({ targetPort }: { targetPort: string }) =>
        problem(!ports.includes(targetPort), `the Service ${metadata.name} has no ${targetPort}`),
      ),
    ],
    PodDisruptionBudget: ({ spec }) =>
      problem(!selects(spec.selector.matchLabels, pods), 'the budget has no pods'),
    Ingress: ({ spec }) =>
      spec.rules.flatMap(({ http }: KubernetesObject) =>
        http.paths.flatMap(({ backend: { service } }: KubernetesObject) =>
          problem(
            !services
              .filter(({ metadata }) => metadata.name === service.name)
              .flatMap((each) => each['spec'].ports)
              .some(({ name }: { name: string }) => name === service.port.name),
            `the Ingress has no ${service.name} ${service.port.name}`,
          ),
        ),
      ),
    ServiceMonitor: ({ spec }) => {
      const matches = services.filter(({ metadata }) =>
        selects(spec.selector.matchLabels, metadata.labels),
      )
      return problem(
        matches.length !== 1 || matches[0]?.['spec'].ports[0].name !== spec.endpoints[0].port,
        'the ServiceMonitor has no Service',
      )
    },
  }
  return objects.flatMap((object) => problems[object.kind]?.(object) ?? [])
}

const selects = (selector: Labels, labels: Labels): boolean =>
  Object.keys(selector).length > 0 &&
  Object.entries(selector).every(([name, value]) => labels[name] === value)

const problem = (isProblem: boolean, sentence: string): readonly string[] =>
  isProblem ? [sentence] : []

const duplicates = (names: readonly string[]): readonly string[] =>
  names
    .filter((name, index) => names.indexOf(name) !== index)
    .map((name) => `${name} is there twice`)
