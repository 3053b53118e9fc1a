import { ApiError, resourceAt } from '#contract'
import type { FeedCursors } from '#cursors'
import { feedParameters } from '#request'
import { type Change, feedStart, type Store } from '#store'
import { endStage } from '../context.ts'
import { type Etags, matchesAny, matchesEtag } from '../response.ts'
import type { KeyedHandler } from './handler.ts'

export interface ChangesParts {
  readonly store: Store
  readonly cursors: FeedCursors
  readonly etags: Etags
}

/** Which records of a brand changed after a cursor. */
export const changesHandler = ({ store, cursors, etags }: ChangesParts): KeyedHandler => {
  const { catalog, feed } = store
  const parse = feedParameters(catalog)
  return async ({ ctx, match, brand, reserve, isCancelled }) => {
    const { collection, limit, cursor } = parse(match.query)
    const walk = { brand, collection }
    const after = cursor === null ? feedStart : cursors.open(walk, cursor)
    const resource = collection === null ? null : resourceAt(catalog, collection)
    endStage(ctx, 'read')

    const target = JSON.stringify(['feed', collection, limit, after])
    const tagAt = (version: string) => etags.of(brand, target, version)
    const { ifNoneMatch } = ctx.headers
    if (ifNoneMatch) {
      const state = await feed.state({ brand, resource })
      const tag = tagAt(state.version)
      if (matchesEtag(ifNoneMatch, tag) || matchesAny(ifNoneMatch)) {
        return { notModified: tag, readState: state.readState }
      }
    }
    const page = await feed.page({ brand, resource, after, limit, reserve, isCancelled })
    endStage(ctx, 'run')

    if (!page.isKnown) throw lost()
    const nextCursor = cursors.seal(walk, page.next)
    const end = `],"nextCursor":"${nextCursor}","hasMore":${page.hasMore}}`
    const body = [itemsStart, ...page.changes.flatMap(writeChange), Buffer.from(end, 'latin1')]
    return { body, tag: tagAt(page.version), readState: page.readState }
  }
}

/** The JSON of a change, in pieces. The record is inserted as it is stored, byte for byte. */
const writeChange = ({ collection, key, body }: Change, index: number): readonly Uint8Array[] => {
  const start = index === 0 ? '' : ','
  const head = `${start}{"collection":"${collection}","id":${JSON.stringify(identityOf(key))},`
  return body === null
    ? [Buffer.from(`${head}"operation":"remove"}`)]
    : [Buffer.from(`${head}"operation":"put","record":`), body, changeEnd]
}

const itemsStart = Buffer.from('{"items":[')
const changeEnd = Buffer.from('}')

/** The parts of an identity, by commas; a comma within a part is written so that none is meant. */
const identityOf = (key: readonly string[]): string =>
  key.length === 1
    ? (key[0] ?? '')
    : key.map((part) => part.replaceAll('%', '%25').replaceAll(',', '%2C')).join(',')

const lost = (): ApiError =>
  new ApiError(
    'invalid_cursor',
    'This cursor is no longer valid because the database was restored from a backup. Start again without a cursor.',
  )
