import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { AuditAction, AuditDetails, RecordAudit } from '#audit'
import { type Database, DatabaseError, type Session as WriteSession } from '#database'
import {
  cleanUpQuery,
  createSessionTable,
  endQuery,
  findQuery,
  insertQuery,
  liveQuery,
  parseSession,
  redeemQuery,
  type StoredSession,
  touchQuery,
} from './session-table.ts'

/** A session that is valid now. */
export interface Session {
  readonly id: string
  readonly operator: string
  /** Sent with every change, so that no page of somebody else can make one. */
  readonly csrfToken: string
  /** When it ends at the latest. */
  readonly expiresAt: string
}

/** A link or a session that is not over, without secrets. */
export interface ListedSession {
  readonly id: string
  readonly operator: string
  readonly createdAt: string
  /** Null for a link that has not been used yet. */
  readonly signedInAt: string | null
  readonly lastUsedAt: string | null
  /** When the link or the session ends, if it is used no more. */
  readonly expiresAt: string
}

/** The secret of a link, shown once. */
export interface IssuedLink {
  readonly id: string
  readonly token: string
  readonly expiresAt: string
}

/** A session that has begun, and the secret that the browser keeps. */
export interface BegunSession {
  readonly session: Session
  readonly cookie: string
}

/** The sessions of operators. */
export interface Sessions {
  /** Issues a token that can begin one session. */
  issueLink(operator: string): Promise<IssuedLink>
  /** Begins a session. Null if the token is unknown, used or expired. */
  redeem(token: string, address: string): Promise<BegunSession | null>
  /** The valid session of a cookie, and notes that it is used. */
  find(cookie: string): Promise<Session | null>
  /** Signs an operator out. */
  signOut(session: Session): Promise<void>
  /** Links and sessions that are not over, newest first. */
  list(): Promise<readonly ListedSession[]>
  /** Ends links and sessions by their ids; null ends all. Returns those that it has ended. */
  end(ids: readonly string[] | null): Promise<readonly ListedSession[]>
}

export interface SessionsParts {
  readonly database: Database
  readonly recordAudit: RecordAudit
  /** In milliseconds since 1970. */
  readonly now: () => number
  readonly random: (size: number) => Uint8Array
}

export const linkMinutes = 10
export const sessionHours = 12
export const idleMinutes = 60
/** How long sessions that are over are kept. */
const keptDays = 7
/** Use is noted this often: a request then writes nothing most of the time. */
const noteMs = 60_000
const listMax = 1_000

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

export const openSessions = async (parts: SessionsParts): Promise<Sessions> => {
  const { database, recordAudit, now, random } = parts
  await createSessionTable(database)
  const at = (ms = 0): string => new Date(now() + ms).toISOString()

  const read = async (id: string): Promise<StoredSession | null> => {
    const [[row] = []] = await database.read([findQuery(id)])
    return row ? parseSession(row) : null
  }

  const note = (
    session: WriteSession,
    action: AuditAction,
    { id, operator }: Pick<StoredSession, 'id' | 'operator'>,
    details: AuditDetails,
    isByOperator: boolean,
  ) =>
    recordAudit(session, {
      action,
      subject: id,
      details,
      ...(isByOperator && { actor: { kind: 'operator', name: operator } }),
    })

  /** A disk that is full, or a database that takes no writes, is what an operator has to see. */
  const touch = async (id: string): Promise<void> => {
    try {
      await database.write((session) => session.run(touchQuery(id, at())))
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error
    }
  }

  const isOver = ({ endedAt, expiresAt, lastUsedAt }: StoredSession): boolean =>
    endedAt !== null ||
    expiresAt === null ||
    lastUsedAt === null ||
    expiresAt <= at() ||
    lastUsedAt <= at(-idleMinutes * minuteMs)

  const list = async (): Promise<readonly ListedSession[]> => {
    const query = liveQuery(at(), at(-idleMinutes * minuteMs), listMax)
    const [rows = []] = await database.read([query])
    return rows.map(parseSession).map(listed)
  }

  return {
    issueLink: async (operator) => {
      const id = Buffer.from(random(idBytes)).toString('hex')
      const token = secretOf(id, random)
      const linkExpiresAt = at(linkMinutes * minuteMs)
      await database.write(async (session) => {
        await session.run(cleanUpQuery(at(-keptDays * dayMs)))
        const linkHash = hashOf(token)
        await session.run(insertQuery({ id, operator, createdAt: at(), linkHash, linkExpiresAt }))
      })
      return { id, token, expiresAt: linkExpiresAt }
    },
    redeem: async (token, address) => {
      const id = idIn(token)
      const link = id === null ? null : await read(id)
      if (!link || !isHashOf(link.linkHash, token)) return null
      const cookie = secretOf(link.id, random)
      const expiresAt = at(sessionHours * hourMs)
      const isRedeemed = await database.write(async (session) => {
        const times = { at: at(), expiresAt }
        if ((await session.run(redeemQuery(link.id, hashOf(cookie), times))) === 0) return false
        await note(session, 'admin.signed-in', link, { address }, true)
        return true
      })
      return isRedeemed ? { cookie, session: sessionOf(link, cookie, expiresAt) } : null
    },
    find: async (cookie) => {
      const id = idIn(cookie)
      const stored = id === null ? null : await read(id)
      if (!stored || !isHashOf(stored.sessionHash, cookie) || isOver(stored)) return null
      if ((stored.lastUsedAt ?? '') < at(-noteMs)) await touch(stored.id)
      return sessionOf(stored, cookie, stored.expiresAt ?? '')
    },
    signOut: async (signedIn) => {
      await database.write(async (session) => {
        if ((await session.run(endQuery(signedIn.id, at()))) === 0) return
        await note(session, 'admin.signed-out', signedIn, {}, true)
      })
    },
    list,
    end: async (ids) => {
      const all = (await list()).filter(({ id }) => ids === null || ids.includes(id))
      return database.write(async (session) => {
        const ended: ListedSession[] = []
        for (const each of all) {
          if ((await session.run(endQuery(each.id, at()))) === 0) continue
          await note(session, 'admin.ended', each, { operator: each.operator }, false)
          ended.push(each)
        }
        return ended
      })
    },
  }
}

const listed = ({ id, operator, createdAt, ...rest }: StoredSession): ListedSession => {
  const { signedInAt, lastUsedAt, linkExpiresAt, expiresAt } = rest
  return { id, operator, createdAt, signedInAt, lastUsedAt, expiresAt: expiresAt ?? linkExpiresAt }
}

const idBytes = 8
/** The id in hexadecimal digits, and 256 random bits. */
const secretPattern = /^([0-9a-f]{16})[\w-]{43}$/

const secretOf = (id: string, random: (size: number) => Uint8Array): string =>
  `${id}${Buffer.from(random(32)).toString('base64url')}`

const idIn = (secret: string): string | null => secretPattern.exec(secret)?.[1] ?? null

const hashOf = (secret: string): string => hash('sha256', secret, 'base64url')

const isHashOf = (stored: string | null, secret: string): boolean =>
  stored !== null && timingSafeEqual(Buffer.from(stored), Buffer.from(hashOf(secret)))

/** The token is derived from the cookie, which scripts cannot read. */
const sessionOf = (
  { id, operator }: Pick<StoredSession, 'id' | 'operator'>,
  cookie: string,
  expiresAt: string,
): Session => {
  const csrfToken = createHmac('sha256', cookie).update('csrf').digest('base64url')
  return { id, operator, csrfToken, expiresAt }
}

/** Compares a token that was sent, in constant time. */
export const isCsrfToken = ({ csrfToken }: Session, sent: string): boolean =>
  timingSafeEqual(Buffer.from(hashOf(csrfToken)), Buffer.from(hashOf(sent)))
