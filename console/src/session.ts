import type { Brand } from './api.ts'

/** Who is signed in, in this tab. The key is kept nowhere else. */
export type Session = { key: string; brand: string; brands: Brand[] }

const place = 'selvedge-session'

export const readSession = (): Session | null => {
  try {
    return asSession(JSON.parse(sessionStorage.getItem(place) ?? 'null'))
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

export const keepSession = (session: Session): void =>
  sessionStorage.setItem(place, JSON.stringify(session))

export const endSession = (): void => sessionStorage.removeItem(place)

/** Takes the key out of `#key=…`, and the fragment out of the address bar and the history. */
export const takeKeyFromFragment = (): string | null => {
  const key = new URLSearchParams(location.hash.slice(1)).get('key')
  if (key !== null) history.replaceState(null, '', location.pathname + location.search)
  return key
}

/**
 * The other tabs of this browser at this server. A channel reaches pages of the same origin alone,
 * and keeps nothing: who is signed in is told from one open tab to another, when it asks.
 */
const openChannel = (): BroadcastChannel | null =>
  'BroadcastChannel' in globalThis ? new BroadcastChannel(place) : null

type Message =
  | { kind: 'ask'; from: string }
  | { kind: 'answer'; to: string; session: Session }
  | { kind: 'left'; key: string }

export type Tabs = {
  /** Asks the other tabs who is signed in; the first answer is handed over, even a late one. */
  ask(): void
  /** Signs out the other tabs that use this key. */
  tellLeft(key: string): void
  close(): void
}

interface TabsParts {
  /** Who is signed in here, to answer others. */
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
      const found = asSession(data.session)
      if (!found) return
      isAsking = false
      onSession(found)
    } else if (data?.kind === 'left') onLeft(data.key)
  })
  return {
    ask: () => {
      isAsking = true
      send({ kind: 'ask', from: own })
    },
    tellLeft: (key) => send({ kind: 'left', key }),
    close: () => channel?.close(),
  }
}

/** How long a new tab waits for an answer before it shows the sign-in. */
export const askMs = 300

/** The session of this tab, or that of another one that is open. */
export const findSession = (): Promise<Session | null> => {
  const here = readSession()
  if (here) return Promise.resolve(here)
  return new Promise((resolve) => {
    const finish = (found: Session | null) => {
      tabs.close()
      clearTimeout(timer)
      resolve(found)
    }
    const tabs = openTabs({ session: () => null, onSession: finish, onLeft: () => undefined })
    const timer = setTimeout(() => finish(null), askMs)
    tabs.ask()
  })
}
