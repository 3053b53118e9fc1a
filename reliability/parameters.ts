import {
  catalog,
  type FilterKind,
  type Operation,
  operationsOf,
  patterns,
  relationsOf,
} from '#contract'
import { commonId, pathOf, story } from '../test/support/brands.ts'
import { seeded } from '../test/support/model.ts'
import { openTestService } from '../test/support/service.ts'
import { askAll, wireOf } from '../test/support/wire.ts'
import { check } from './check.ts'
import {
  type Malformed,
  malformedAlways,
  malformedCountries,
  malformedCursor,
  malformedFilter,
  malformedIds,
  malformedInclude,
  malformedLimit,
} from './parameters/malformed.ts'

interface Size {
  /** Malformed values to test for each parameter. */
  readonly forms: number
}

interface Picture {
  readonly id: string
  readonly mimeType: string
  readonly fileName: string
}

/** One parameter of an operation with a valid use and all invalid ones. */
interface Parameter {
  readonly name: string
  readonly good: string
  readonly bad: readonly { readonly target: string; readonly names: string }[]
}

const rightValues: Record<FilterKind, string> = {
  identifier: 'f47ac10b-58cc-4372-a567-0e02b2c3d479',
  integer: '7',
  string: 'x',
}

const parametersOf = (operation: Operation, cursor: string): readonly Parameter[] => {
  const { resource, endpoint } = operation
  const path = pathOf(operation, 'aldermoor', commonId(operation))
  const inQuery = (name: string, right: string, more: readonly Malformed[]): Parameter => ({
    name,
    good: `${path}?${name}=${right}`,
    bad: [...malformedAlways(name, right), ...more].map(({ query, names }) => ({
      target: `${path}?${query}`,
      names,
    })),
  })
  const relations = endpoint === 'content' ? [] : relationsOf(resource).map(({ name }) => name)
  const include = inQuery('include', relations[0] ?? 'order', malformedInclude(relations))
  const ids = resource.idPattern === patterns.country ? malformedCountries : malformedIds
  return [
    // If nothing can be included, any `include` is an unknown parameter.
    relations.length > 0 ? include : { ...include, good: path },
    ...(endpoint === 'list'
      ? [
          inQuery('limit', '7', malformedLimit),
          inQuery('cursor', cursor, malformedCursor(cursor)),
          ...resource.filters.map(({ name, kind }) =>
            inQuery(name, rightValues[kind], malformedFilter(name, kind)),
          ),
        ]
      : []),
    ...(operation.path.includes('{id}')
      ? [
          {
            name: 'id',
            good: path,
            bad: ids.map((id) => ({
              target: pathOf(operation, 'aldermoor', encodeURIComponent(id)),
              names: 'id',
            })),
          },
        ]
      : []),
  ]
}

export default check<Size>({
  id: 'R2',
  claim: 'An invalid parameter is rejected, and the response names it.',
  target:
    'Every malformed version of every parameter of every operation is rejected with 400, and `details` names the parameter.',
  sizes: { short: { forms: 3 }, full: { forms: Number.POSITIVE_INFINITY } },
  try: async ({ forms }, { seed, log }) => {
    const service = await openTestService()
    const headers = { Authorization: `Bearer ${await service.key('aldermoor')}` }
    const [image] = (story['images'] ?? []) as readonly unknown[] as readonly Picture[]
    if (image) await service.images.put({ ...image, brand: 'aldermoor' }, Buffer.from('a picture'))
    const misses: string[] = []
    const operations = operationsOf(catalog)
    const cursors = new Map<Operation, string>()
    const firstPages = operations
      .filter(({ endpoint }) => endpoint === 'list')
      .map((operation) => ({
        operation,
        method: 'GET',
        wire: wireOf('GET', `${pathOf(operation, 'aldermoor')}?limit=1`, headers),
      }))
    await askAll(service.url, firstPages, ({ operation }, { body }) => {
      const { nextCursor } = body as { nextCursor: string | null }
      if (nextCursor !== null) cursors.set(operation, nextCursor)
    })
    const [anyCursor = ''] = cursors.values()

    const draw = seeded(seed)
    let parameters = 0
    let good = 0
    let bad = 0
    const requests = function* () {
      for (const operation of operations) {
        const own = cursors.get(operation)
        for (const parameter of parametersOf(operation, own ?? anyCursor)) {
          parameters += 1
          const isGood = parameter.name !== 'cursor' || own !== undefined
          if (isGood) yield request(parameter.good, null)
          const all = [...parameter.bad]
          for (let consumed = 0; consumed < forms && all.length > 0; consumed += 1) {
            const [one] = all.splice(forms >= all.length ? 0 : draw(all.length), 1)
            if (one) yield request(one.target, one.names)
          }
        }
      }
    }
    const request = (target: string, names: string | null) => ({
      method: 'GET',
      target,
      names,
      wire: wireOf('GET', target, headers),
    })
    await askAll(service.url, requests(), ({ target, names }, { status, text, body }) => {
      const where = `GET ${target.slice(0, 300)} → ${status} ${text.slice(0, 300)}`
      if (names === null) {
        good += 1
        if (status !== 200) misses.push(`${where}: what is right was refused`)
        return
      }
      bad += 1
      if (bad % 10_000 === 0) log(`${bad} malformed parameters`)
      const { details } = body as { details?: readonly { readonly parameter: string }[] }
      const reported = Array.isArray(details) ? details.map(({ parameter }) => parameter) : []
      if (status !== 400) misses.push(`${where}: not 400`)
      else if (!reported.includes(names)) misses.push(`${where}: ${names} is not named`)
    })
    await service.close()
    return {
      measured: `${bad.toLocaleString('en')} malformed versions of ${parameters.toLocaleString('en')} parameters, ${misses.length} not rejected by name; ${good.toLocaleString('en')} valid values were accepted.`,
      counts: { parameters, malformed: bad, right: good, missed: misses.length },
      misses,
    }
  },
})
