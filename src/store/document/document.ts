import {
  type Catalog,
  type DocumentDefinition,
  documentCollections,
  documentLimits,
  documents,
  type GroupScope,
  limits,
  type Resource,
  relationsOf,
  resourceAt,
  type Today,
  wholeScope,
} from '#contract'
import type { Database, IsCancelled, Steps } from '#database'
import type { Summaries } from '../query/summary.ts'
import type { Body } from '../read/body.ts'
import type { Reserve } from '../read/list.ts'
import { type MissingParts, parentReference } from '../read/quarantined-rows.ts'
import {
  type Dependency,
  dependenciesOn,
  readState,
  readStates,
  type State,
} from '../read/state.ts'
import { ownerNumber } from '../schema/owners.ts'
import type { Table } from '../schema/tables.ts'
import { missingPartsQuery } from '../write/missing-parts.ts'
import { follow } from './follow.ts'
import { createGoodsReader, type Goods, goodsField, type Picture } from './goods.ts'
import {
  createSources,
  type DocumentDeadline,
  type DocumentSubject,
  readDeadlines,
  readProgress,
} from './progress.ts'
import { viewOf } from './resolve.ts'
import { readScorecard, type Scorecard, sumViews } from './scorecard.ts'
import { type DocumentSection, readSection } from './sections.ts'
import type { DocumentStage } from './stages.ts'
import { readSubject } from './subject.ts'
import { addSums, figureFields, type Pieces, sumRows, toPieces } from './sums.ts'
import { type DocumentWalk, type WalkedRow, walk } from './walk.ts'

/** A request for the document of a record. */
export interface DocumentRequest {
  readonly resource: Resource
  readonly brand: string
  readonly id: string
  /** Rows per section. */
  readonly limit: number
  readonly today: Today
  /** The brand's base currency. */
  readonly baseCurrency: string
  /** Other groups read as if they had no records; all groups by default. */
  readonly scope?: GroupScope | undefined
  /** Maximum bytes of all rows together; `documentLimits.bytes` by default. */
  readonly bytes?: number
  readonly reserve?: Reserve | undefined
  readonly isCancelled?: IsCancelled | undefined
}

/** A record with related records, all from one snapshot. */
export interface RecordDocument extends State {
  readonly definition: DocumentDefinition
  /** Its JSON text, with the records that it references. */
  readonly record: Body
  readonly title: string | null
  readonly status: string | null
  readonly deadlines: readonly DocumentDeadline[]
  readonly progress: readonly DocumentStage[]
  readonly sections: readonly DocumentSection[]
  readonly goods: Goods | null
  readonly pictures: ReadonlyMap<string, Picture>
  readonly scorecard: Scorecard | null
  /** Its parts that cannot be stored now, by collection. */
  readonly missingParts: readonly MissingParts[]
}

export interface Documents {
  /** Null if the record does not exist. */
  read(request: DocumentRequest): Promise<RecordDocument | null>
  /** Reads the state that a document depends on, without reading records. */
  state(request: Pick<DocumentRequest, 'resource' | 'brand' | 'scope'>): Promise<State>
}

export interface DocumentsParts {
  readonly catalog: Catalog
  readonly database: Database
  readonly tables: ReadonlyMap<string, Table>
  readonly summaries: Summaries
}

/** Lines whose figures are cached for the section that shows them. */
const keptLines = 1_000

/** Reads documents in steps, on a reader thread or a dedicated connection. */
export const createDocuments = (parts: DocumentsParts): Documents => {
  const { catalog, database, summaries } = parts
  const { dialect } = database

  const definitionOf = ({ path }: Resource): DocumentDefinition => {
    const definition = documents.get(path)
    if (!definition) throw new RangeError(`${path} has no document.`)
    return definition
  }

  const collectionsOf = ({
    resource,
    scope = wholeScope,
  }: Pick<DocumentRequest, 'resource' | 'scope'>): readonly string[] =>
    documentCollections(catalog, definitionOf(resource)).filter((path) => scope.has(path))

  const dependenciesOf = (
    request: Pick<DocumentRequest, 'resource' | 'scope'>,
  ): readonly Dependency[] => dependenciesOn(catalog, collectionsOf(request))

  const readMissingParts = async (
    steps: Steps,
    request: DocumentRequest,
  ): Promise<readonly MissingParts[]> => {
    const { resource, brand, id } = request
    const parts = collectionsOf(request).filter(
      (path) => parentReference(resourceAt(catalog, path))?.to === resource.path,
    )
    if (parts.length === 0) return []
    const rows = await steps.all(missingPartsQuery(ownerNumber(brand), id, parts, dialect))
    return rows.map(([path, count]) => ({ collection: String(path), rows: Number(count) }))
  }

  const readAll = async (
    steps: Steps,
    request: DocumentRequest,
  ): Promise<RecordDocument | null> => {
    const { resource, id, today, limit } = request
    const definition = definitionOf(resource)
    const { state } = await readStates(steps, dependenciesOf(request), request)
    const record = await readSubject(parts, steps, request, relationsOf(resource))
    if (!record) return null
    const { body, row, title, read } = record
    const { values } = row
    const status = values['status'] ?? null
    const subject: DocumentSubject = {
      row,
      status,
      isEnded: ['deletedAt', 'cancelledAt'].some((field) => (values[field] ?? null) !== null),
      today,
    }
    const isInView = async (view: string): Promise<boolean> => {
      const where = read.resolve(viewOf(catalog, resource.path, view).where, resource.path)
      const wanted = { group: resource.path, column: 'id', values: [id], fields: [], where }
      for await (const batch of follow(read, wanted)) if (batch.length > 0) return true
      return false
    }

    const goodsReader = createGoodsReader(read)
    const { goods: ownGoods } = definition
    const goodsId = ownGoods && (goodsField(ownGoods) === 'id' ? id : values[goodsField(ownGoods)])
    const goods =
      ownGoods && goodsId ? (await goodsReader.read(ownGoods, [goodsId])).get(goodsId) : null
    const sources = createSources(read, subject, definition)
    const lines = await sumLines(read, row, definition)
    const deadlines = await readDeadlines(sources, subject, definition.deadlines, isInView)
    const progress = await readProgress(sources, subject, definition.progress, lines?.total ?? null)
    const scorecard = definition.hasScorecard
      ? await readScorecard(read, id, today, sumViews({ catalog, summaries }, read, request))
      : null
    const room = { bytes: request.bytes ?? documentLimits.bytes }
    const lineFigures = lines && { figures: definition.lines?.figures, byLine: lines.byLine }
    const reader = { read, goods: goodsReader, record: row, limit, room, lineFigures }
    const sections: DocumentSection[] = []
    for (const [name, section] of Object.entries(definition.sections)) {
      sections.push(await readSection(reader, name, section))
    }
    const bytes = (request.bytes ?? documentLimits.bytes) - room.bytes
    if (bytes > limits.unreservedBytes) await request.reserve?.(bytes)
    const missingParts = await readMissingParts(steps, request)
    return {
      ...state,
      ...{ definition, record: body, title, status, deadlines, progress, sections, scorecard },
      missingParts,
      goods: goods ?? null,
      pictures: goodsReader.pictures,
    }
  }

  return {
    state: (request) => readState(database, dependenciesOf(request), request.brand),
    read: (request) =>
      database.readInSteps(
        ownerNumber(request.brand),
        request.isCancelled,
        (steps) => readAll(steps, request),
        { timeMs: documentLimits.timeMs },
      ),
  }
}

/** The pieces of all lines of a document, and of each line if there are few. */
const sumLines = async (
  read: DocumentWalk,
  record: WalkedRow,
  { lines }: DocumentDefinition,
): Promise<{ readonly total: Pieces; readonly byLine: ReadonlyMap<string, Pieces> } | null> => {
  if (!lines) return null
  const { path, figures } = lines
  const names = Object.keys(figures)
  let total = addSums([], names)
  const byLine = new Map<string, Pieces>()
  for await (const batch of walk(read, [record], path, figureFields(figures))) {
    const sums = await sumRows(read, batch, figures)
    total = addSums([total, ...sums.values()], names)
    for (const [line, each] of sums) if (byLine.size < keptLines) byLine.set(line, toPieces(each))
  }
  return { total: toPieces(total), byLine }
}
