import type { QueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type Brand, isDeadKey, readBrands, SelvedgeError } from './api.ts'
import { keptDays, readKept, removeKept, storeKept } from './kept-session.ts'
import { forgetRecent } from './recent-records.ts'
import {
  askMs,
  type Candidate,
  openTabs,
  readCandidate,
  readSession,
  removeCandidate,
  removeSession,
  type Session,
  storeSession,
  type Tabs,
  takeKeyFromFragment,
} from './session.ts'
import { texts } from './texts/index.ts'

export type SignIn = (key: string, brands: Brand[], brand: string, isKept: boolean) => void

const dayMs = 86_400_000

/** Interval for checking the expiry of a kept session. */
const checkMs = 60_000

/**
 * The session of this tab. It is shared with the other tabs of this browser, and kept if the user
 * chose that.
 */
export const useSession = (queries: QueryClient) => {
  const [session, setSession] = useState<Session | null>(readSession)
  const [candidate, setCandidate] = useState<Candidate | null>(
    () => candidateInLink() ?? readCandidate(),
  )
  const [notice, setNotice] = useState<string | null>(null)
  const [cameWithKey] = useState(candidate !== null)
  const [isLoading, setLoading] = useState(session === null && candidate === null)
  const current = useRef(session)
  const tabs = useRef<Tabs | null>(null)

  const enter = useCallback((entered: Session) => {
    storeSession(entered)
    removeCandidate()
    const { key, brand, keptUntil } = entered
    if (keptUntil !== null) storeKept({ key, brand, until: keptUntil })
    current.current = entered
    setSession(entered)
    setCandidate(null)
    setNotice(null)
    setLoading(false)
  }, [])
  const signIn: SignIn = useCallback(
    (key, brands, brand, isKept) => {
      const keptSession = readKept()
      // A new key replaces the kept one.
      if (keptSession && keptSession.key !== key) removeKept()
      const before = keptSession?.key === key ? keptSession.until : null
      const keptUntil = isKept ? Date.now() + keptDays * dayMs : before
      enter({ key, brands, brand, keptUntil })
    },
    [enter],
  )
  const chooseBrand = useCallback(
    (brands: Brand[], brand: string) => {
      if (current.current) enter({ ...current.current, brands, brand })
    },
    [enter],
  )
  const forget = useCallback(
    (why: string | null) => {
      removeSession()
      removeCandidate()
      forgetRecent()
      removeKept()
      current.current = null
      queries.clear()
      setSession(null)
      setNotice(why)
    },
    [queries],
  )
  const leave = useCallback(() => {
    const key = current.current?.key
    forget(null)
    if (key !== undefined) tabs.current?.signOutOthers(key)
  }, [forget])
  /** Many requests may be refused at once; the first one ends the session of that key. */
  const drop = useCallback(
    (key: string, { code }: SelvedgeError) => {
      if (current.current?.key === key) forget(signedOutNotice(code))
    },
    [forget],
  )

  useEffect(() => {
    const opened = openTabs({
      session: () => current.current,
      onSession: (received) => {
        if (current.current === null) enter(received)
      },
      onLeft: (key) => {
        if (current.current?.key === key) forget(null)
      },
    })
    tabs.current = opened
    // A key in the URL takes precedence over the session of another tab, which precedes a kept one.
    const isAlone = current.current === null && !cameWithKey
    if (isAlone) opened.ask()
    const timer = setTimeout(async () => {
      if (isAlone && current.current === null) setNotice(await restore(enter))
      setLoading(false)
    }, askMs)
    return () => {
      clearTimeout(timer)
      opened.close()
    }
  }, [enter, forget, cameWithKey])

  useEffect(() => {
    const timer = setInterval(() => {
      const { keptUntil = null } = current.current ?? {}
      if (keptUntil !== null && keptUntil <= Date.now()) forget(texts().signIn.keptOver)
    }, checkMs)
    return () => clearInterval(timer)
  }, [forget])

  // Opening a link with a key in the same tab only changes the fragment.
  useEffect(() => {
    const onHashChange = () => {
      const next = candidateInLink()
      if (next !== null) setCandidate(next)
    }
    addEventListener('hashchange', onHashChange)
    return () => removeEventListener('hashchange', onHashChange)
  }, [])

  const cancelSignIn = useCallback(() => {
    removeCandidate()
    setCandidate(null)
  }, [])

  return { session, candidate, notice, isLoading, signIn, cancelSignIn, chooseBrand, leave, drop }
}

const candidateInLink = (): Candidate | null => {
  const key = takeKeyFromFragment()
  return key === null ? null : { key, isKept: false }
}

/** Restores the kept session, if there is one. Returns the reason if that fails. */
const restore = async (enter: (session: Session) => void): Promise<string | null> => {
  const keptSession = readKept()
  if (!keptSession) return null
  const { key, until } = keptSession
  try {
    const brands = await readBrands({ origin: location.origin, key })
    const brand = brands.find(({ slug }) => slug === keptSession.brand) ?? brands[0]
    if (!brand) return texts().signIn.noBrands
    enter({ key, brands, brand: brand.slug, keptUntil: until })
    return null
  } catch (error) {
    if (!(error instanceof SelvedgeError)) throw error
    if (!isDeadKey(error)) return error.message
    removeKept()
    return signedOutNotice(error.code)
  }
}

const signedOutNotice = (code: string): string =>
  code === 'expired_api_key' ? texts().signIn.expired : texts().signIn.refused
