/**
 * A session that outlives its tabs, if the viewer chose that: the key and the brand in local
 * storage, for a limited time. Signing out, a rejected key and expiry remove it.
 */

export const keptDays = 30

export type KeptSession = { key: string; brand: string; until: number }

const storageKey = 'selvedge-kept-session'

/** Returns null and clears the storage if the session is missing or expired. */
export const readKept = (): KeptSession | null => {
  const keptSession = parseKept(localStorage.getItem(storageKey))
  if (keptSession && keptSession.until > Date.now()) return keptSession
  removeKept()
  return null
}

const parseKept = (text: string | null): KeptSession | null => {
  try {
    const keptSession = JSON.parse(text ?? 'null') as KeptSession | null
    return typeof keptSession?.key === 'string' &&
      typeof keptSession.brand === 'string' &&
      typeof keptSession.until === 'number'
      ? keptSession
      : null
  } catch {
    return null
  }
}

export const storeKept = (keptSession: KeptSession): void =>
  localStorage.setItem(storageKey, JSON.stringify(keptSession))

export const removeKept = (): void => localStorage.removeItem(storageKey)
