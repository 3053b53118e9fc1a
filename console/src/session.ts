import type { Brand } from './api.ts'
import { readKept } from './kept-session.ts'

/** The session of this tab. The key is in session storage only, unless the user keeps the session. */
export type Session = {
  key: string
  brand: string
  brands: Brand[]
  /** When a kept session expires; null for a session that ends with its tabs. */
  keptUntil: number | null
}

const storageKey = 'selvedge-session'

/** Returns null and clears the storage if the session is missing or expired. */
export const readSession = (): Session | null => {
  const session = parseSession(sessionStorage.getItem(storageKey))
  if (session === null) removeSession()
  return session
}

const parseSession = (text: string | null): Session | null => {
  try {
    return asSession(JSON.parse(text ?? 'null'))
  } catch {
    return null
  }
}

const brandFields = ['slug', 'name', 'timezone', 'baseCurrency'] as const

const asSession = (value: unknown): Session | null => {
  const session = value as Session | null | undefined
  const until = session?.keptUntil
  if (until !== null && !(typeof until === 'number' && until > Date.now())) return null
  return typeof session?.key === 'string' &&
    typeof session.brand === 'string' &&
    Array.isArray(session.brands) &&
    session.brands.every((brand) => brandFields.every((field) => typeof brand[field] === 'string'))
    ? session
    : null
}

export const storeSession = (session: Session): void =>
  sessionStorage.setItem(storageKey, JSON.stringify(session))

export const removeSession = (): void => sessionStorage.removeItem(storageKey)

/** A key that is being signed in with, until its brand is chosen. In session storage only. */
export type Candidate = { key: string; isKept: boolean }

const candidateKey = 'selvedge-sign-in'

export const readCandidate = (): Candidate | null => {
  try {
    const candidate = JSON.parse(sessionStorage.getItem(candidateKey) ?? 'null') as Candidate | null
    return typeof candidate?.key === 'string' ? candidate : null
  } catch {
    return null
  }
}

export const storeCandidate = (candidate: Candidate): void =>
  sessionStorage.setItem(candidateKey, JSON.stringify(candidate))

export const removeCandidate = (): void => sessionStorage.removeItem(candidateKey)

/** Takes the key from `#key=…` and removes the fragment from the address bar and the history. */
export const takeKeyFromFragment = (): string | null => {
  const key = new URLSearchParams(location.hash.slice(1)).get('key')
  if (key !== null) history.replaceState(null, '', location.pathname + location.search)
  return key
}

/**
 * Connects the tabs of this browser on this server. A channel reaches only pages of the same origin
 * and stores nothing: a new tab requests the session from open tabs.
 */
const openChannel = (): BroadcastChannel | null =>
  'BroadcastChannel' in globalThis ? new BroadcastChannel(storageKey) : null

type Message =
  | { kind: 'ask'; from: string }
  | { kind: 'answer'; to: string; session: Session }
  | { kind: 'left'; key: string }

export type Tabs = {
  /** Requests the session of the other tabs and uses the first response, even a late one. */
  ask(): void
  /** Signs out the other tabs that use this key. */
  signOutOthers(key: string): void
  close(): void
}

interface TabsParts {
  /** The session of this tab, for other tabs. */
  readonly session: () => Session | null
  readonly onSession: (session: Session) => void
  readonly onLeft: (key: string) => void
}

export const openTabs = ({ session, onSession, onLeft }: TabsParts): Tabs => {
  const channel = openChannel()
  const own = Array.from(crypto.getRandomValues(new Uint32Array(4)), String).join('-')
  const send = (message: Message) => channel?.postMessage(message)
  let isAsking = false
  channel?.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data?.kind === 'ask') {
      const here = session()
      if (here) send({ kind: 'answer', to: data.from, session: here })
    } else if (data?.kind === 'answer' && data.to === own && isAsking) {
      const received = asSession(data.session)
      if (!received) return
      isAsking = false
      onSession(received)
    } else if (data?.kind === 'left') onLeft(data.key)
  })
  return {
    ask: () => {
      isAsking = true
      send({ kind: 'ask', from: own })
    },
    signOutOthers: (key) => send({ kind: 'left', key }),
    close: () => channel?.close(),
  }
}

/** How long a new tab waits for a session before it shows the sign-in form. */
export const askMs = 300

/** The key and the brand of this tab, of another open tab, or of a kept session. */
export const findSession = async (): Promise<Pick<Session, 'key' | 'brand'> | null> =>
  readSession() ?? (await askTabs()) ?? readKept()

const askTabs = (): Promise<Session | null> => {
  return new Promise((resolve) => {
    const finish = (session: Session | null) => {
      tabs.close()
      clearTimeout(timer)
      resolve(session)
    }
    const tabs = openTabs({ session: () => null, onSession: finish, onLeft: () => undefined })
    const timer = setTimeout(() => finish(null), askMs)
    tabs.ask()
  })
}
