import type { AuditAction, AuditEntry, RecordAudit } from '#audit'
import type { Database } from '#database'
import { hashOf, isWellFormed, makeKey } from './key.ts'
import {
  createLinkTable,
  deleteLinks,
  insertLink,
  type LinkRecord,
  readLink,
  selectLinks,
} from './link-table.ts'
import { timestamp } from './table.ts'

export type NewLink = Omit<LinkRecord, 'id' | 'createdAt'>

export interface IssuedLink extends LinkRecord {
  readonly token: string
}

/**
 * Links to downloads, for programs in which a person cannot set a header. A link is not a key: it
 * gives one download, with the rights that its key has at that moment.
 */
export interface Links {
  /** Null if the key has as many links that have not expired as it may have. Removes expired ones. */
  issue(link: NewLink): Promise<IssuedLink | null>
  list(): Promise<readonly LinkRecord[]>
  /** Null if the link does not exist. */
  remove(id: string): Promise<LinkRecord | null>
}

export interface LinkParts {
  readonly database: Database
  readonly now: () => number
  readonly random: (size: number) => Uint8Array
  /** Records what happens to links, in the same transaction. */
  readonly recordAudit?: RecordAudit
}

/** Maximum number of links per key that have not expired. */
export const linksPerKey = 100

export const createLinks = async (parts: LinkParts): Promise<Links> => {
  const { database, now, random, recordAudit = async () => undefined } = parts
  await createLinkTable(database)
  return {
    issue: (link) =>
      database.write(async (session) => {
        const own = (await session.all(selectLinks('key_id', link.keyId))).map(readLink)
        const expired = own.filter(({ expiresAt }) => Date.parse(expiresAt) <= now())
        if (own.length - expired.length >= linksPerKey) return null
        if (own.length >= linksPerKey) {
          for (const { id } of expired) await session.run(deleteLinks('id', id))
          await recordAudit(session, ...expired.map((each) => linkEntry('link.removed', each)))
        }
        const id = `link_${Buffer.from(random(9)).toString('base64url')}`
        const issued = { ...link, id, createdAt: timestamp(now()) }
        const token = makeKey(random, 'link')
        await session.run(insertLink(issued, hashOf(token)))
        await recordAudit(session, linkEntry('link.issued', issued))
        return { ...issued, token }
      }),
    list: async () => {
      const [rows = []] = await database.read([selectLinks()])
      return rows.map(readLink)
    },
    remove: (id) =>
      database.write(async (session) => {
        const [row] = await session.all(selectLinks('id', id))
        if (!row) return null
        const link = readLink(row)
        await session.run(deleteLinks('id', id))
        await recordAudit(session, linkEntry('link.removed', link))
        return link
      }),
  }
}

/** Finds the link of a token, which may have expired. A malformed token is null without a read. */
export const findLink = async (database: Database, token: string): Promise<LinkRecord | null> => {
  if (!isLinkToken(token)) return null
  const [[row] = []] = await database.read([selectLinks('hash', hashOf(token))])
  return row ? readLink(row) : null
}

/** Whether a text has the form of a link's token. */
export const isLinkToken = (token: string): boolean => isWellFormed(token, 'link')

/** Removes the links to a brand, so that none is valid for a later brand with the same slug. */
export const removeLinksOf = async (database: Database, brand: string): Promise<void> => {
  await createLinkTable(database)
  await database.write((session) => session.run(deleteLinks('brand', brand)))
}

/** What happened to a link, without its parameters: they have content of records. */
const linkEntry = (action: AuditAction, link: LinkRecord): AuditEntry => ({
  action,
  brand: link.brand,
  subject: link.id,
  details: { name: link.name, key: link.keyId, group: link.group, expiresAt: link.expiresAt },
})
