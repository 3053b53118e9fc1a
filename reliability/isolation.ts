import { catalog, type Operation, operationsOf } from '#contract'
import { ownerNumber } from '#store'
import { tablesOf } from '../src/store/schema/tables.ts'
import {
  type Brand,
  brands,
  mark,
  openBrandsModel,
  shared,
  strayId,
  writeBrands,
} from '../test/support/brands.ts'
import { openPostgres } from '../test/support/postgres.ts'
import { openTestService, type TestService } from '../test/support/service.ts'
import { check, type Task } from './check.ts'
import { patient } from './engine.ts'
import { leaveBrandOut, leaveBrandsOut, leaveScopeOut, places } from './isolation/mutants.ts'
import {
  askProbes,
  type Probe,
  type ProbeParts,
  probesOf,
  statementOf,
} from './isolation/probes.ts'

interface Size {
  /** Private records of each brand in each collection. */
  readonly own: number
  readonly ownOnPostgres: number
  /** Tests every nth operation. */
  readonly every: number
  /** Whether to test a mutant of each statement separately, through every operation. */
  readonly thorough: boolean
}

const tables = [...tablesOf(catalog).values()]
/** A cached response would hide the effect of a statement. */
const withoutCache = { RESPONSE_CACHE_MB: '0' }

const openBrands = async (
  environment: { readonly [name: string]: string },
  own: number,
  operations: readonly Operation[],
) => {
  const service = await openTestService(
    { TRUSTED_PROXIES: '127.0.0.1', ...environment },
    { story: false },
  )
  const model = openBrandsModel(own)
  await writeBrands(model, { store: service.records.store, images: service.images })
  const keys = new Map<Brand | 'global', string>()
  for (const brand of brands) keys.set(brand, await service.key(brand))
  keys.set('global', await service.key())
  return { service, parts: { url: service.url, model, keys, own, operations } satisfies ProbeParts }
}

/** Inserts a row with a brand into each shared table, which the program itself never does. */
const plant = async ({ records: { database } }: TestService): Promise<void> => {
  await database.write(async (session) => {
    for (const { name, key, resource } of tables) {
      const [first] = resource.scope === 'shared' ? (shared[resource.path] ?? []) : []
      if (!first) continue
      const rows = brands.map((brand) => {
        const id = strayId(brand, resource.path)
        const record = mark(resource.fields, { ...first, [resource.key[0] ?? 'id']: id }, brand)
        return [ownerNumber(brand), id, JSON.stringify(record)]
      })
      await session.bulkInsert(name, ['owner', ...key.slice(0, 1), 'body'], rows)
    }
  })
}

/** Raises every version, so that totals counted by a mutant are not reused. */
const discardTotals = ({ records: { database } }: TestService): Promise<void> =>
  database.write(async (session) => {
    await session.run({
      text: 'update "selvedge_collections" set "version" = "version" + 1',
      values: [],
    })
  })

const planted = (brand: Brand, { resource }: Operation): readonly string[] =>
  resource.scope === 'shared' ? [strayId(brand, resource.path)] : []

const allOperations = operationsOf(catalog)

/** The operation to test first if one is enough: a list, or the brand itself. */
const isMain = ({ endpoint, resource }: Operation) => endpoint === 'list' || resource.lookup

const oneIn = (every: number, seed: number): readonly Operation[] =>
  allOperations.filter((_, index) => (index + seed) % every === 0)

/**
 * Checks for each group that a missing brand condition is noticed, in all statements and in each.
 */
const tryMutants = async ({ thorough }: Size, misses: string[], { log }: Task) => {
  const operations = thorough ? allOperations : allOperations.filter(isMain)
  const { service, parts } = await openBrands(withoutCache, 1, operations)
  await plant(service)
  const probes = await probesOf({ ...parts, planted })
  const { database } = service.records
  const sound = await askProbes(service.url, thorough ? probes : [])
  await discardTotals(service)
  for (const each of sound.wrong) misses.push(`before any mutant, ${each}`)
  let groups = 0
  let single = 0
  let singleCaught = 0
  let sent = sound.sent
  for (const { name, resource } of tables) {
    for (const place of thorough ? [undefined, ...places] : [undefined]) {
      // The number of brands with a name is not disclosed.
      if (place === 'count' && resource.lookup) continue
      const changed = (place ? [place] : places).map((each) => statementOf(resource.path, each))
      const concerned = probes.filter(({ touches }) => changed.some((each) => touches.has(each)))
      // Probes of the group itself come first, since they are most likely to notice the mutant.
      concerned.sort((one, other) => rank(one, resource.path) - rank(other, resource.path))
      const mutant = leaveBrandOut(database, name, place)
      const seen = await askProbes(service.url, concerned, 1)
      mutant.restore()
      await discardTotals(service)
      sent += seen.sent
      const isCaught = seen.wrong.length > 0
      const about = `${resource.path} without the brand${place ? ` in its ${place}` : ''}`
      if (mutant.changes() === 0) {
        // No request uses such a statement, or the pattern no longer matches the statement.
        if (concerned.length > 0) misses.push(`The mutant ${about} changed no statement.`)
        continue
      }
      if (place === undefined) groups += isCaught ? 1 : 0
      else {
        single += 1
        singleCaught += isCaught ? 1 : 0
      }
      if (!isCaught) misses.push(`The mutant ${about} was not caught.`)
    }
  }
  log(`${groups} of ${tables.length} groups, ${singleCaught} of ${single} statements`)

  // The last mutant affects all groups: it treats every key as global.
  const mutant = leaveScopeOut(service.records.keyDatabase)
  // An unknown key makes the server reload all keys.
  await service.get('', { key: await service.key('aldermoor') })
  const byGroup = Map.groupBy(
    probes.filter(({ about }) => about.includes("'s key for ")),
    ({ operation }) => operation.resource.path,
  )
  let scopes = 0
  for (const [path, ofGroup] of byGroup) {
    const seen = await askProbes(service.url, ofGroup, 1)
    sent += seen.sent
    if (seen.wrong.length > 0) scopes += 1
    else misses.push(`Keys without a scope were not caught at ${path}.`)
  }
  mutant.restore()
  await service.close()
  return { groups, single, singleCaught, scopes, sent }
}

const rank = ({ operation: { resource } }: Probe, path: string): number =>
  resource.path === path ? 0 : 1

/** PostgreSQL isolates twice: by the condition in every statement, and by row-level security. */
const tryWalls = async ({ ownOnPostgres, every }: Size, misses: string[], task: Task) => {
  const postgres = await openPostgres()
  let sent = 0
  try {
    const url = patient(await postgres.url('walls'))
    const operations = oneIn(every, task.seed)
    const { service, parts } = await openBrands({ DATABASE_URL: url }, ownOnPostgres, operations)
    const probes = await probesOf(parts)
    const { database } = service.records
    const round = async (walls: string) => {
      const seen = await askProbes(service.url, probes)
      sent += seen.sent
      for (const each of seen.wrong) misses.push(`PostgreSQL, ${walls}: ${each}`)
      task.log(`PostgreSQL, ${walls}: ${seen.sent} probes, ${seen.wrong.length} wrong`)
    }
    await round('both walls')
    const bent = leaveBrandsOut(database)
    await round('row-level security alone')
    if (bent.changes() === 0) misses.push('No statement was left without its brand.')
    bent.restore()
    await database.write(async (session) => {
      for (const { name } of tables) {
        await session.run({ text: `alter table "${name}" disable row level security`, values: [] })
      }
    })
    await round('the condition alone')
    // Without both, the probes must find something. Otherwise they would prove nothing.
    leaveBrandsOut(database)
    const open = await askProbes(service.url, probes)
    if (open.wrong.length === 0) misses.push('With both walls down nothing was noticed.')
    await service.close()
  } finally {
    await postgres.close()
  }
  return sent
}

export default check<Size>({
  id: 'R3',
  claim: 'A brand never sees a byte of another brand.',
  target:
    'No probe returns anything of another brand, and the response for a record of another brand is byte for byte that of a missing record, even with each safeguard removed. A mutant of each of the 93 groups that omits the brand is detected.',
  sizes: {
    short: { own: 1, ownOnPostgres: 1, every: 31, thorough: false },
    full: { own: 12, ownOnPostgres: 2, every: 1, thorough: true },
  },
  try: async (size, task) => {
    const misses: string[] = []
    const { service, parts } = await openBrands({}, size.own, oneIn(size.every, task.seed))
    await plant(service)
    const probes = await probesOf({ ...parts, planted })
    task.log(`${probes.length} probes`)
    const seen = await askProbes(service.url, probes)
    for (const each of seen.wrong) misses.push(`SQLite: ${each}`)
    await service.close()
    const onPostgres = await tryWalls(size, misses, task)
    const leaks = misses.length
    const mutants = await tryMutants(size, misses, task)
    const one = size.thorough
      ? `, and ${mutants.singleCaught} of ${mutants.single} with a single statement changed`
      : ''
    const count = (value: number) => value.toLocaleString('en')
    return {
      measured: `${count(seen.sent)} probes on SQLite and ${count(onPostgres)} on PostgreSQL with both safeguards and with each alone, ${leaks} leaks; ${mutants.groups} of ${tables.length} mutants detected${one}; keys without a scope detected in ${mutants.scopes} of ${tables.length} groups.`,
      counts: {
        probes: seen.sent,
        probesOnPostgres: onPostgres,
        leaks,
        mutants: tables.length,
        caught: mutants.groups,
        singleMutants: mutants.single,
        singleCaught: mutants.singleCaught,
        scopesNoticed: mutants.scopes,
        probesOfMutants: mutants.sent,
      },
      misses,
    }
  },
})
