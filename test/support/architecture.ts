/** The rules that keep the modules apart, as a function from sources to violations. */
import { posix } from 'node:path'

/** A module, and the modules whose entry points it may import. */
export const directions: { readonly [module: string]: readonly string[] } = {
  client: [],
  contract: [],
  installation: [],
  config: ['installation'],
  observability: [],
  database: ['concurrency', 'installation'],
  audit: ['concurrency', 'database'],
  redis: [],
  'rate-limit': ['cluster', 'concurrency', 'redis'],
  concurrency: [],
  s3: [],
  images: ['files', 's3'],
  console: ['installation'],
  cluster: ['concurrency', 'observability'],
  store: ['audit', 'concurrency', 'contract', 'database'],
  keys: ['audit', 'concurrency', 'contract', 'database'],
  oauth: ['database', 'keys'],
  usage: ['contract', 'database'],
  check: ['contract', 'database', 'store'],
  cursors: ['contract', 'store'],
  openapi: ['contract'],
  demo: ['contract', 'installation'],
  request: ['contract', 'store'],
  files: ['contract'],
  pull: ['client', 'contract', 'database', 'files'],
  mapping: ['contract', 'request', 'store'],
  ingest: ['contract', 'installation', 'mapping', 'request', 'store'],
  intake: [
    'audit',
    'concurrency',
    'contract',
    'database',
    'ingest',
    'installation',
    'mapping',
    'store',
  ],
  watch: ['files', 'ingest', 'intake', 's3', 'store'],
  sync: ['contract', 'ingest', 'intake', 'mapping', 'request', 'store'],
  formats: ['contract'],
  backup: ['audit', 'config', 'contract', 'database', 'files', 's3', 'store'],
  export: ['contract', 'files', 'formats', 'store'],
  reading: ['contract', 'cursors', 'request', 'store'],
  operator: [
    'audit',
    'backup',
    'check',
    'contract',
    'database',
    'files',
    'formats',
    'images',
    'ingest',
    'intake',
    'keys',
    'mapping',
    'redis',
    'request',
    'store',
    'usage',
  ],
  mcp: ['client', 'contract', 'cursors', 'reading', 'request', 'store'],
  http: [
    'check',
    'console',
    'contract',
    'cursors',
    'formats',
    'store',
    'keys',
    'oauth',
    'rate-limit',
    'images',
    'observability',
    'reading',
    'request',
    'mcp',
    'concurrency',
    'intake',
    'usage',
  ],
  admin: [
    'audit',
    'concurrency',
    'config',
    'console',
    'contract',
    'database',
    'http',
    'images',
    'ingest',
    'installation',
    'intake',
    'observability',
    'operator',
    'rate-limit',
  ],
  server: [
    'admin',
    'audit',
    'backup',
    'check',
    'config',
    'console',
    'contract',
    'database',
    'files',
    'http',
    'images',
    'installation',
    'keys',
    'oauth',
    'observability',
    'intake',
    'rate-limit',
    'redis',
    'store',
    'usage',
  ],
  cli: [
    'admin',
    'audit',
    'backup',
    'check',
    'client',
    'config',
    'console',
    'contract',
    'cursors',
    'database',
    'demo',
    'export',
    'files',
    'images',
    'ingest',
    'installation',
    'intake',
    'keys',
    'mapping',
    'mcp',
    'observability',
    'openapi',
    'operator',
    'formats',
    'pull',
    'reading',
    'rate-limit',
    'request',
    's3',
    'server',
    'store',
    'sync',
    'cluster',
    'watch',
    'usage',
  ],
}

/** A folder of a module, some files beside its folders, or all others (`*`). */
type Layer = string | readonly string[]

/** The layers of the modules that have folders, from low to high. A file imports from no higher one. */
export const layers: { readonly [module: string]: readonly Layer[] } = {
  admin: ['*', 'operations', ['app', 'index']],
  check: ['*', 'rules', ['check', 'outdated', 'quality', 'index']],
  contract: [
    ['calendar', 'condition', 'fields', 'limits', 'resource', 'view', 'vocabulary'],
    'views',
    'domains',
    'german',
    '*',
    'documents',
    ['index'],
  ],
  database: ['*', 'sqlite', 'postgres', ['open', 'index']],
  http: ['*', 'handlers', ['app', 'ingest-app', 'starting-server', 'index']],
  ingest: [['json-text', 'opened-file', 'report', 'row', 'table'], 'xlsx', '*'],
  mapping: [['units'], 'codes', '*', 'propose', ['index']],
  store: [
    'schema',
    'search-index',
    'sources',
    'write',
    'read',
    'query',
    'document',
    'search',
    'quality',
    '*',
  ],
}

/** The programs beside the product, from low to high. None imports from a higher one. */
export const programs: readonly string[] = ['tools', 'bench', 'reliability']

interface Rule {
  readonly what: RegExp
  readonly only: readonly string[]
  readonly because: string
}

/** What only some modules may touch. */
const reserved: readonly Rule[] = [
  { what: /from 'node:sqlite'/, only: ['database'], because: 'SQL engines' },
  { what: /from '(pg|mysql2)'/, only: ['database', 'sync'], because: 'SQL engines' },
  {
    what: /from '(fastify|express|koa|hono|@hapi\/hapi|find-my-way)'/,
    only: [],
    because: 'a web framework',
  },
  { what: /from '(ioredis|redis)'/, only: ['redis'], because: 'Redis' },
  { what: /from 'aws4fetch'/, only: ['s3'], because: 'the S3 signer' },
  { what: /\bprocess\.env\b/, only: ['config'], because: 'the environment' },
  { what: /\bprocess\.(argv|exit)\b|\bconsole\./, only: ['cli'], because: 'the terminal' },
  {
    what: /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\brandom(Bytes|UUID)\b/,
    only: ['server', 'cli'],
    because: 'the clock and chance, which arrive as parts',
  },
]

const vagueNames = /^(utils?|helpers?|common|misc|manager)$/i

/** Every violation among the given sources, by path such as `src/store/read/list.ts`. */
export const violationsIn = (sources: ReadonlyMap<string, string>): readonly string[] => [
  ...cycles(new Map(Object.entries(directions))),
  ...cycles(valueImports(sources)),
  ...[...sources].flatMap(([path, source]) =>
    heightOf(path) < 0 ? violationsOf(path, source) : programViolations(path, source),
  ),
]

/** How high a program is among the others; -1 for a file of none. */
const heightOf = (path: string): number => programs.indexOf(path.split('/')[0] ?? '')

const programViolations = (path: string, source: string): string[] =>
  importsOf(source)
    .filter((target) => target.startsWith('.'))
    .filter((target) => heightOf(posix.join(posix.dirname(path), target)) > heightOf(path))
    .map((target) => `${path}: ${target} is in a higher program`)

/** The console imports from the rest of the repository through these entry points only. */
const consoleEntryPoints = [
  'src/contract/index.ts',
  // Apart, because only who reads German loads it.
  'src/contract/german/index.ts',
  'client/src/index.ts',
]

const consoleViolations = (path: string, source: string): string[] =>
  importsOf(source)
    .filter((target) => target.startsWith('.'))
    .map((target) => ({ target, file: posix.join(posix.dirname(path), target) }))
    .filter(({ file }) => !file.startsWith('console/') && !consoleEntryPoints.includes(file))
    .map(({ target }) => `${path}: ${target} is not an entry point that the console may import`)

const violationsOf = (path: string, source: string): string[] => {
  if (path.startsWith('console/')) return consoleViolations(path, source)
  // The demo is a module beside `src`: it does not serve requests.
  const [module = '', ...inside] = path.replace(/^src\//, '').split('/')
  const allowed = directions[module]
  if (!allowed) return [`${path}: the module ${module} has no row in the table of directions`]
  const violations: string[] = []
  if (layers[module] && layerOf(module, path) < 0) {
    violations.push(`${path}: its folder has no place among the layers of ${module}`)
  }
  for (const target of importsOf(source)) {
    if (target.startsWith('#')) {
      const entryPoint = target.slice(1)
      if (entryPoint.includes('/'))
        violations.push(`${path}: ${target} is a file behind an entry point`)
      else if (!allowed.includes(entryPoint))
        violations.push(`${path}: ${module} may not import #${entryPoint}`)
      else if (entryPoint === 'demo' && path !== 'src/cli/demo.ts')
        violations.push(`${path}: only src/cli/demo.ts, which is loaded late, may import #demo`)
    } else if (target.startsWith('.') && leavesModule(inside, target)) {
      violations.push(`${path}: ${target} leaves the module`)
    } else if (target.startsWith('.') && isUpward(module, path, target)) {
      violations.push(`${path}: ${target} is in a higher layer`)
    }
  }
  for (const { what, only, because } of reserved) {
    if (what.test(source) && !only.includes(module)) {
      violations.push(`${path}: only ${only.join(' and ') || 'nothing'} may touch ${because}`)
    }
  }
  if (module === 'http') {
    if (/throw new Error\(/.test(source))
      violations.push(`${path}: http refuses with ApiError alone`)
    if (/\b_header\b|\b_keepAliveTimeout\b/.test(source) && !path.endsWith('/raw-response.ts')) {
      violations.push(`${path}: only raw-response.ts may use private fields of Node's responses`)
    }
    if (/\.writeHead\(/.test(source) && !/\/(response|server)\.ts$/.test(path)) {
      violations.push(`${path}: only response.ts writes the headers of a response`)
    }
    if (/\bmethod: '(GET|POST)'/.test(source) && !/\/(router|handlers\/mcp)\.ts$/.test(path)) {
      violations.push(`${path}: a route is a row of the table in router.ts`)
    }
  }
  const names = [...inside.map((part) => part.replace(/\.ts$/, '')), ...exportsOf(source)]
  for (const name of names.filter((each) => vagueNames.test(each))) {
    violations.push(`${path}: ${name} says nothing about what it is`)
  }
  return violations
}

const importsOf = (source: string): string[] =>
  [...source.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, target = '']) => target)

/** How high the layer of a file is; -1 where it has none. */
const layerOf = (module: string, path: string): number => {
  const [, , first = '', ...rest] = path.split('/')
  const all = layers[module] ?? []
  if (rest.length > 0) return all.indexOf(first)
  const name = first.replace(/\.ts$/, '')
  const named = all.findIndex((layer) => typeof layer !== 'string' && layer.includes(name))
  return named < 0 ? all.indexOf('*') : named
}

const isUpward = (module: string, path: string, target: string): boolean =>
  layerOf(module, posix.join(posix.dirname(path), target)) > layerOf(module, path)

/** The files whose values each file imports. Types are gone when the program runs. */
const valueImports = (
  sources: ReadonlyMap<string, string>,
): ReadonlyMap<string, readonly string[]> =>
  new Map(
    [...sources].map(([path, source]) => [
      path,
      importsOf(source.replaceAll(typeImport, '')).map((target) =>
        target.startsWith('#') ? entryPointOf(target) : posix.join(posix.dirname(path), target),
      ),
    ]),
  )

const typeImport = /^(?:import|export) type (?:\w+|\{[^}]*\}|\* as \w+) from '[^']*'/gm

const entryPointOf = (target: string): string =>
  target === '#client' ? 'client/src/index.ts' : `src/${target.slice(1)}/index.ts`

const exportsOf = (source: string): string[] =>
  [...source.matchAll(/export (?:const|function|class|interface|type) (\w+)/g)].map(
    ([, name = '']) => name,
  )

const leavesModule = (inside: readonly string[], target: string): boolean => {
  let depth = inside.length - 1
  for (const part of target.split('/')) {
    if (part === '..') depth -= 1
    else if (part !== '.') depth += 1
    if (depth < 0) return true
  }
  return false
}

/** The cycles of a graph: one for each edge that leads back to where it came from. */
export const cycles = (graph: ReadonlyMap<string, readonly string[]>): string[] => {
  const violations: string[] = []
  const done = new Set<string>()
  const follow = (node: string, trail: readonly string[]): void => {
    if (trail.includes(node)) {
      const circle = [...trail.slice(trail.indexOf(node)), node]
      violations.push(`imports in a cycle: ${circle.join(' → ')}`)
      return
    }
    if (done.has(node)) return
    for (const next of graph.get(node) ?? []) follow(next, [...trail, node])
    done.add(node)
  }
  for (const node of graph.keys()) follow(node, [])
  return violations
}
