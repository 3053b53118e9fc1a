import type { Brand } from './api.ts'

/** Who is signed in, in this tab. The key is kept nowhere else. */
export type Session = { key: string; brand: string; brands: Brand[] }

const place = 'selvedge-session'

export const readSession = (): Session | null => {
  try {
    const kept = JSON.parse(sessionStorage.getItem(place) ?? 'null') as Session | null
    return typeof kept?.key === 'string' && Array.isArray(kept.brands) ? kept : null
  } catch {
    return null
  }
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
