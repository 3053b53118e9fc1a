import type { Brand } from './api.ts'

/** The session of this tab. The key is stored nowhere else. */
export type Session = { key: string; brand: string; brands: Brand[] }

const storageKey = 'selvedge-session'

export const readSession = (): Session | null => {
  try {
    return asSession(JSON.parse(sessionStorage.getItem(storageKey) ?? 'null'))
  } catch {
    return null
  }
}

const asSession = (value: unknown): Session | null => {
  const session = value as Session | null | undefined
  return typeof session?.key === 'string' &&
    typeof session.brand === 'string' &&
    Array.isArray(session.brands)
    ? session
    : null
}

export const storeSession = (session: Session): void =>
  sessionStorage.setItem(storageKey, JSON.stringify(session))

export const removeSession = (): void => sessionStorage.removeItem(storageKey)

/** Takes the key out of `#key=…`, and the fragment out of the address bar and the history. */
export const takeKeyFromFragment = (): string | null => {
  const key = new URLSearchParams(location.hash.slice(1)).get('key')
  if (key !== null) history.replaceState(null, '', location.pathname + location.search)
  return key
}

/**
 * The other tabs of this browser on this server. A channel only reaches pages of the same origin
 * and stores nothing: a new tab requests the session from the tabs that are open.
 */
const openChannel = (): BroadcastChannel | null =>
  'BroadcastChannel' in globalThis ? new BroadcastChannel(storageKey) : null

type Message =
  | { kind: 'ask'; from: string }
  | { kind: 'answer'; to: string; session: Session }
  | { kind: 'left'; key: string }

export type Tabs = {
  /** Requests the session of the other tabs; the first response is used, even a late one. */
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

/** The session of this tab or of another open tab. */
export const findSession = (): Promise<Session | null> => {
  const here = readSession()
  if (here) return Promise.resolve(here)
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
