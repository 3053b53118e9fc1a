import {
  type Catalog,
  type GridDefinition,
  gridCollections,
  gridLimits,
  grids,
  type Resource,
  signOf,
  wholeScope,
} from '#contract'
import type { Database, IsCancelled, Steps } from '#database'
import {
  type Dependency,
  dependenciesOn,
  readState,
  readStates,
  type State,
} from '../read/state.ts'
import { ownerNumber } from '../schema/owners.ts'
import type { Table } from '../schema/tables.ts'
import type { DocumentRequest } from './document.ts'
import { follow, readById } from './follow.ts'
import { namedOption, namedPart } from './goods.ts'
import { type ArrangedGrids, arrangeGrids, type GridEntry, type GridSize } from './grid-matrix.ts'
import { readSizes } from './sizes.ts'
import { readSubject } from './subject.ts'
import { addSums, figureFields, type Sums, sumRows, toPieces } from './sums.ts'
import { type DocumentWalk, type WalkedRow, walk } from './walk.ts'

/** A request for the grids of a record. */
export type GridRequest = Pick<
  DocumentRequest,
  'resource' | 'brand' | 'id' | 'today' | 'scope' | 'reserve'
> & { readonly isCancelled?: IsCancelled | undefined }

/** A record's pieces by style, colour and size, all from one snapshot. */
export interface RecordGrids extends State, ArrangedGrids {
  readonly definition: GridDefinition
  readonly title: string | null
  /** Whether it has more SKUs than grids can show: then it has only its total. */
  readonly isTooLarge: boolean
}

export interface Grids {
  /** Null if the record does not exist. */
  read(request: GridRequest): Promise<RecordGrids | null>
  /** Reads the state that grids depend on, without reading records. */
  state(request: Pick<GridRequest, 'resource' | 'brand' | 'scope'>): Promise<State>
}

export interface GridsParts {
  readonly catalog: Catalog
  readonly database: Database
  readonly tables: ReadonlyMap<string, Table>
}

/** Reads grids in steps, as documents are read. */
export const createGrids = (parts: GridsParts): Grids => {
  const { catalog, database } = parts

  const dependenciesOf = ({
    resource,
    scope = wholeScope,
  }: Pick<GridRequest, 'resource' | 'scope'>): readonly Dependency[] =>
    dependenciesOn(
      catalog,
      gridCollections(definitionOf(resource)).filter((path) => scope.has(path)),
    )

  const readAll = async (steps: Steps, request: GridRequest): Promise<RecordGrids | null> => {
    const definition = definitionOf(request.resource)
    const { state } = await readStates(steps, dependenciesOf(request), request)
    const subject = await readSubject(parts, steps, request, [])
    if (!subject) return null
    const { row, title, read } = subject
    const { total, bySku } = await sumSkus(read, row, definition)
    const { fields, title: field } = request.resource
    // A number would not say which record it is.
    const isName = field !== undefined && fields[field]?.kind === 'text'
    const head = { ...state, definition, title: isName ? title : null }
    if (!bySku) return { ...head, isTooLarge: true, total: toPieces(total), grids: [], lines: [] }
    const entries = await readEntries(read, bySku)
    const figures = Object.keys(definition.figures)
    return { ...head, isTooLarge: false, ...arrangeGrids(entries, figures, gridLimits.cells) }
  }

  return {
    state: (request) => readState(database, dependenciesOf(request), request.brand),
    read: (request) =>
      database.readInSteps(
        ownerNumber(request.brand),
        request.isCancelled,
        (steps) => readAll(steps, request),
        { timeMs: gridLimits.timeMs },
      ),
  }
}

const definitionOf = ({ path }: Resource): GridDefinition => {
  const definition = grids.get(path)
  if (!definition) throw new RangeError(`${path} has no grid.`)
  return definition
}

/** The pieces of all rows, and by SKU unless there are too many. Rows without a SKU have the key ''. */
const sumSkus = async (
  read: DocumentWalk,
  record: WalkedRow,
  { path, sku, figures }: GridDefinition,
): Promise<{ readonly total: Sums; readonly bySku: ReadonlyMap<string, Sums> | null }> => {
  const names = Object.keys(figures)
  const none = addSums([], names)
  const bySku = new Map<string, Sums>()
  let total = none
  let isTooLarge = false
  const fields = [...(sku === 'id' ? [] : [sku]), ...figureFields(figures)]
  for await (const batch of walk(read, [record], path, [...new Set(fields)])) {
    const sums = await sumRows(read, batch, figures)
    for (const { key, values } of batch) {
      const own = sums.get(key[0] ?? '') ?? none
      total = addSums([total, own], names)
      const id = (sku === 'id' ? key[0] : values[sku]) ?? ''
      bySku.set(id, addSums([bySku.get(id) ?? none, own], names))
    }
    if (bySku.size > gridLimits.skus) isTooLarge = true
    if (isTooLarge) bySku.clear()
  }
  return { total, bySku: isTooLarge ? null : bySku }
}

/** The names, colours and sizes of SKUs. Omits deleted SKUs without pieces. */
const readEntries = async (
  read: DocumentWalk,
  bySku: ReadonlyMap<string, Sums>,
): Promise<readonly GridEntry[]> => {
  const ids = [...bySku.keys()].filter((id) => id !== '')
  const skus = await readById(read, 'skus', ids, [
    ...['code', 'name', 'productId', 'productOptionId', 'deletedAt'],
  ])
  const idsOf = (field: string) => [...skus.values()].map((values) => values[field] ?? null)
  const options = await readById(read, 'product-options', idsOf('productOptionId'), [
    ...['code', 'name', 'colorId', 'sequence'],
  ])
  const styles = await readById(read, 'parent-products', idsOf('productId'), [
    ...['code', 'name', 'dimensionGroupId'],
  ])
  const colors = await readById(
    read,
    'colors',
    [...options.values()].map(({ colorId = null }) => colorId),
    ['name', 'hexCode'],
  )
  const sizesOf = await createSizeOrder(
    read,
    ids,
    [...styles.values()].map(({ dimensionGroupId = null }) => dimensionGroupId),
  )
  return [...bySku].flatMap(([id, sums]): readonly GridEntry[] => {
    if (id === '') return [{ sku: null, style: null, option: null, sizes: [], sums }]
    const sku = skus.get(id)
    const isEmpty = Object.values(sums).every((sum) => signOf(sum) === 0)
    if (isEmpty && (sku?.['deletedAt'] ?? null) !== null) return []
    const styleId = sku?.['productId'] ?? ''
    const style = styles.get(styleId)
    const optionId = sku?.['productOptionId'] ?? ''
    const option = options.get(optionId)
    return [
      {
        sku: namedPart(id, sku ?? {}),
        style: style ? namedPart(styleId, style) : null,
        option: option
          ? {
              ...namedOption(optionId, option, colors),
              sequence: Number(option['sequence'] ?? 0),
            }
          : null,
        sizes: sizesOf(id, style?.['dimensionGroupId'] ?? null),
        sums,
      },
    ]
  })
}

/** Reads the sizes of SKUs, and returns those of a SKU in the order of its size system's dimensions. */
const createSizeOrder = async (
  read: DocumentWalk,
  skus: readonly string[],
  groups: readonly (string | null)[],
): Promise<(sku: string, group: string | null) => readonly GridSize[]> => {
  const sizes = await readSizes(read, skus)
  const dimensions = await readById(
    read,
    'dimensions',
    [...sizes.values()].flat().map(({ dimensionId }) => dimensionId),
    ['code', 'name', 'sequence'],
  )
  const places = new Map<string, number>()
  const placeOf = (group: string | null, dimension: string): number =>
    places.get(`${group} ${dimension}`) ?? Number.MAX_SAFE_INTEGER
  const request = {
    ...{ group: 'dimension-group-dimensions', column: 'dimensionGroupId', where: null },
    values: groups.filter((group) => group !== null),
    fields: ['dimensionId', 'sequence'],
  }
  for await (const batch of follow(read, request)) {
    for (const { from, values } of batch) {
      places.set(`${from} ${values['dimensionId']}`, Number(values['sequence']))
    }
  }
  return (sku, group) => {
    const placed = (sizes.get(sku) ?? []).map((size) => {
      const dimension = dimensions.get(size.dimensionId) ?? {}
      return {
        ...size,
        dimension: namedPart(size.dimensionId, dimension),
        order: [placeOf(group, size.dimensionId), Number(dimension['sequence'] ?? 0)] as const,
      }
    })
    placed.sort(
      (one, other) =>
        one.order[0] - other.order[0] ||
        one.order[1] - other.order[1] ||
        (one.dimensionId < other.dimensionId ? -1 : one.dimensionId > other.dimensionId ? 1 : 0) ||
        one.sequence - other.sequence,
    )
    // A SKU has one value of each dimension; of several, the smallest counts.
    return placed.filter(({ dimensionId }, index) => placed[index - 1]?.dimensionId !== dimensionId)
  }
}
