import { ApiError, gridLimits, gridWords, limits, type Resource } from '#contract'
import { encodeSheets } from '#formats'
import { createGridQueries, gridJson, type QueryParts } from '#reading'
import { notFound } from '#request'
import type { RecordGrids } from '#store'
import { allGroups } from '#usage'
import { endStage } from '../context.ts'
import { gridSheets } from '../grid-sheets.ts'
import type { KeyedHandler } from '../handler.ts'
import { type Etags, matchesAny, matchesEtag } from '../response.ts'
import { exposeFileName } from './download.ts'

export interface QueryGridParts extends Pick<QueryParts, 'store' | 'now'> {
  readonly etags: Etags
}

/** The pieces of a record by style, colour and size: as JSON, or as a workbook. */
export const queryGridHandler = (parts: QueryGridParts, resource: Resource): KeyedHandler => {
  const { store, etags } = parts
  const open = createGridQueries(parts, resource)
  return async ({ ctx, match, grant, brand, id, reserve, isCancelled }) => {
    const { scope } = grant
    const query = await open(brand, id, match.query, scope)
    endStage(ctx, 'read')

    const { format, labels } = query
    const target = JSON.stringify(['grid', resource.path, id, format, labels, scope.id])
    const { ifNoneMatch } = ctx.headers
    // `*` matches any record, so this one has to be read.
    if (ifNoneMatch && !matchesAny(ifNoneMatch)) {
      const { version } = await store.grids.state({ resource, brand, scope })
      const tag = etags.of(brand, target, version)
      if (matchesEtag(ifNoneMatch, tag)) return { notModified: tag }
    }
    const record = await store.grids.read({ ...query, reserve, isCancelled })
    if (!record) throw notFound()
    endStage(ctx, 'run')

    if (format === 'xlsx') {
      if (record.isTooLarge) throw tooLarge()
      exposeFileName(ctx)
      ctx.records = skusOf(record)
      ctx.groups = [allGroups]
      const sheets = gridSheets(record, gridWords[labels])
      return {
        stream: (begin) =>
          begin({
            headers: {
              'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
              'content-disposition': `attachment; filename="${resource.path}-${brand}-${id}-grid.xlsx"`,
            },
            // A workbook is already compressed.
            isCompressible: false,
          }).send(encodeSheets(sheets), { 'Download-Complete': 'true' }, async () => undefined),
      }
    }
    const tag = etags.of(brand, target, record.version)
    if (ifNoneMatch && matchesAny(ifNoneMatch)) return { notModified: tag }
    const body = gridJson(query, record)
    if (body.length > limits.unreservedBytes) await reserve(body.length)
    return { body: [body], tag, records: skusOf(record), groups: [allGroups] }
  }
}

const skusOf = ({ grids, lines }: RecordGrids): number =>
  grids.reduce(
    (sum, { rows }) =>
      sum + rows.flatMap(({ cells }) => cells.flatMap((cell) => cell?.skuIds ?? [])).length,
    lines.length,
  )

const tooLarge = (): ApiError =>
  new ApiError(
    'page_too_large',
    `This record has more than ${gridLimits.skus} SKUs, which are too many for a grid. Download its lines instead.`,
    { details: [{ parameter: 'format', issue: `allows at most ${gridLimits.skus} SKUs` }] },
  )
