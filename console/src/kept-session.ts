/**
 * A session that outlives the tabs, if the viewer asked for it: the key and the brand, in the local
 * storage of the browser, for a limited time. Signing out, a key that is no longer accepted and the end
 * of the time remove it.
 */

export const keptDays = 30

export type KeptSession = { key: string; brand: string; until: number }

const storageKey = 'selvedge-kept-session'

/** Null, and nothing is left in storage, where there is none or its time is over. */
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
