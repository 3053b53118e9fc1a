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
  return async ({ ctx, match, brand, reserve }) => {
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
    const page = await feed.page({ brand, resource, after, limit, reserve })
    endStage(ctx, 'run')

    if (!page.isKnown) throw lost()
    const nextCursor = cursors.seal(walk, page.next)
    const items = page.changes.map(writeChange).join(',')
    const body = `{"items":[${items}],"nextCursor":"${nextCursor}","hasMore":${page.hasMore}}`
    return { body, tag: tagAt(page.version), readState: page.readState }
  }
}

/** The JSON of a change. The record is inserted as it is stored, byte for byte. */
const writeChange = ({ collection, key, body }: Change): string => {
  const head = `{"collection":"${collection}","id":${JSON.stringify(identityOf(key))},`
  return body === null
    ? `${head}"operation":"remove"}`
    : `${head}"operation":"put","record":${body}}`
}

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
