import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Link, Redirect, Route, Switch } from 'wouter'
import { type Brand, createApi, readBrands, type SelvedgeError } from './api.ts'
import { brandQuery } from './brand-record.ts'
import { groupAt } from './contract.ts'
import { ListPage } from './explorer/list-page.tsx'
import { brandLink } from './links.ts'
import { RecordPage } from './record/record-page.tsx'
import { useScrollPosition } from './scroll-position.ts'
import {
  askMs,
  openTabs,
  readSession,
  removeSession,
  type Session,
  storeSession,
  type Tabs,
  takeKeyFromFragment,
} from './session.ts'
import { Shell } from './shell/shell.tsx'
import { Waiting } from './shell/waiting.tsx'
import { SignIn } from './sign-in.tsx'
import { Failure, Loading } from './states.tsx'
import { useTitle } from './title.ts'

const OverviewPage = lazy(async () => ({
  default: (await import('./overview/index.tsx')).OverviewPage,
}))
const LineagePage = lazy(async () => ({
  default: (await import('./lineage/index.tsx')).LineagePage,
}))

const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        refetchOnWindowFocus: false,
        // Requests are retried by the client's transport.
        retry: false,
      },
    },
  })

/** The console. Its key comes from the link that `npm start` prints, the sign-in form or another tab. */
export const App = () => {
  const queries = useMemo(createQueryClient, [])
  const { session, linkKey, notice, isLoading, enter, leave, drop } = useSignedIn(queries)
  return (
    <QueryClientProvider client={queries}>
      {isLoading ? (
        <Loading what="Signing in" />
      ) : session && linkKey === null ? (
        <SignedIn session={session} onBrand={enter} onLeave={leave} onDeadKey={drop} />
      ) : (
        <SignIn
          key={linkKey ?? ''}
          linkKey={linkKey}
          notice={notice}
          onEnter={enter}
          ask={(key) => readBrands({ origin: location.origin, key })}
        />
      )}
      <Waiting />
    </QueryClientProvider>
  )
}

/** The session, shared with the other tabs of this browser. */
const useSignedIn = (queries: QueryClient) => {
  const [session, setSession] = useState<Session | null>(readSession)
  const [linkKey, setLinkKey] = useState<string | null>(takeKeyFromFragment)
  const [notice, setNotice] = useState<string | null>(null)
  const [cameWithKey] = useState(linkKey !== null)
  const [isLoading, setLoading] = useState(session === null && linkKey === null)
  const current = useRef(session)
  const tabs = useRef<Tabs | null>(null)

  const enter = useCallback((key: string, brands: Brand[], brand: string) => {
    const entered = { key, brands, brand }
    storeSession(entered)
    current.current = entered
    setSession(entered)
    setLinkKey(null)
    setNotice(null)
    setLoading(false)
  }, [])
  const forget = useCallback(
    (why: string | null) => {
      removeSession()
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
      onSession: ({ key, brands, brand }) => {
        if (current.current === null) enter(key, brands, brand)
      },
      onLeft: (key) => {
        if (current.current?.key === key) forget(null)
      },
    })
    tabs.current = opened
    // A key in the URL takes precedence over the session of another tab.
    if (current.current === null && !cameWithKey) opened.ask()
    const timer = setTimeout(() => setLoading(false), askMs)
    return () => {
      clearTimeout(timer)
      opened.close()
    }
  }, [enter, forget, cameWithKey])

  // Opening a link with a key in the same tab only changes the fragment.
  useEffect(() => {
    const onHashChange = () => {
      const key = takeKeyFromFragment()
      if (key !== null) setLinkKey(key)
    }
    addEventListener('hashchange', onHashChange)
    return () => removeEventListener('hashchange', onHashChange)
  }, [])

  return { session, linkKey, notice, isLoading, enter, leave, drop }
}

const signedOutNotice = (code: string): string =>
  code === 'expired_api_key'
    ? 'You were signed out because the key has expired. Sign in with another key.'
    : 'You were signed out because the server no longer accepts the key. It may have been revoked. Sign in with another key.'

interface SignedInProps {
  readonly session: Session
  readonly onBrand: (key: string, brands: Brand[], brand: string) => void
  readonly onLeave: () => void
  readonly onDeadKey: (key: string, error: SelvedgeError) => void
}

const SignedIn = (props: SignedInProps) => (
  <Switch>
    <Route path="/brands/:brand/*?">
      {({ brand }) => <BrandPages key={brand} brand={brand} {...props} />}
    </Route>
    <Route>
      <Redirect to={brandLink(props.session.brand)} replace />
    </Route>
  </Switch>
)

interface PageParameters {
  readonly [name: string]: string | undefined
  readonly collection: string
  readonly id?: string
  readonly lineage?: string
}

const BrandPages = (props: SignedInProps & { brand: string }) => {
  const { brand, session, onBrand, onLeave, onDeadKey } = props
  const { key, brands } = session
  const api = useMemo(
    () =>
      createApi({
        origin: location.origin,
        brand,
        key,
        onDeadKey: (error) => onDeadKey(key, error),
      }),
    [brand, key, onDeadKey],
  )
  // The URL may name any brand: one that is not in the session is checked with one request before
  // a page loads everything in it.
  const isKnown = brands.some(({ slug }) => slug === brand)
  const brandCheck = useQuery({ ...brandQuery(api), enabled: !isKnown })
  const isReadable = isKnown || brandCheck.data !== undefined
  useEffect(() => {
    if (isReadable && brand !== session.brand) onBrand(key, brands, brand)
  }, [isReadable, brand, session.brand, key, brands, onBrand])
  useScrollPosition()
  if (!isReadable) {
    return brandCheck.error ? (
      <NoSuchBrand {...{ brand, brands, onLeave }} error={brandCheck.error} />
    ) : (
      <Loading />
    )
  }
  return (
    <Shell api={api} brands={brands} onLeave={onLeave}>
      <Suspense fallback={<Loading />}>
        <Switch>
          <Route path="/brands/:brand">
            <OverviewPage api={api} />
          </Route>
          <Route<PageParameters> path="/brands/:brand/:collection/:id?/:lineage?">
            {({ collection, id, lineage }) => {
              const group = groupAt(collection)
              if (!group || (lineage && lineage !== 'lineage')) return <PageNotFound />
              const place = `${collection} ${id}`
              if (id && lineage) return <LineagePage key={place} api={api} group={group} id={id} />
              if (id) return <RecordPage key={place} api={api} group={group} id={id} />
              return group.hasList ? (
                <ListPage key={collection} api={api} group={group} />
              ) : (
                <RecordPage api={api} group={group} id={brand} />
              )
            }}
          </Route>
        </Switch>
      </Suspense>
    </Shell>
  )
}

/** A global key may read thousands of brands. */
const brandsShown = 20

interface NoSuchBrandProps {
  readonly brand: string
  readonly brands: readonly Brand[]
  readonly error: Error
  readonly onLeave: () => void
}

const NoSuchBrand = ({ brand, brands, error, onLeave }: NoSuchBrandProps) => {
  useTitle('Brand not available', brand)
  return (
    <main className="no-brand">
      <h1>{brand}</h1>
      <Failure error={error} />
      {brands.length > 0 && (
        <>
          <p>This key can read:</p>
          <ul>
            {brands.slice(0, brandsShown).map(({ slug, name }) => (
              <li key={slug}>
                <Link href={brandLink(slug)}>{name}</Link>
              </li>
            ))}
          </ul>
        </>
      )}
      <button type="button" onClick={onLeave}>
        Sign in with another key
      </button>
    </main>
  )
}

const PageNotFound = () => {
  useTitle('Page not found')
  return <Failure error={new Error('This page does not exist.')} />
}
