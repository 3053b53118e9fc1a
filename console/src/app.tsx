import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { ApiError, askWhoami, type Brand, openApi } from './api.ts'
import { groupAt } from './contract.ts'
import { ListPage } from './explorer/list-page.tsx'
import { brandLink } from './links.ts'
import { RecordPage } from './record/record-page.tsx'
import {
  endSession,
  keepSession,
  readSession,
  type Session,
  takeKeyFromFragment,
} from './session.ts'
import { Shell } from './shell/shell.tsx'
import { Waiting } from './shell/waiting.tsx'
import { SignIn } from './sign-in.tsx'
import { Failure, Loading } from './states.tsx'

const OverviewPage = lazy(async () => ({
  default: (await import('./overview/index.tsx')).OverviewPage,
}))
const LineagePage = lazy(async () => ({
  default: (await import('./lineage/index.tsx')).LineagePage,
}))

const makeQueries = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        refetchOnWindowFocus: false,
        // What the server has refused it will refuse again; a lost connection may come back.
        retry: (count, error) => count < 2 && error instanceof ApiError && error.status === 0,
        retryDelay: 500,
      },
    },
  })

/** The key of the link that `npm start` prints, or of the sign-in form, and what it may read. */
export const App = () => {
  const [session, setSession] = useState<Session | null>(readSession)
  const [given, setGiven] = useState<string | null>(takeKeyFromFragment)
  const queries = useMemo(makeQueries, [])

  const enter = useCallback((key: string, brands: Brand[], brand: string) => {
    const entered = { key, brands, brand }
    keepSession(entered)
    setSession(entered)
    setGiven(null)
  }, [])
  const leave = useCallback(() => {
    endSession()
    queries.clear()
    setSession(null)
  }, [queries])

  return (
    <QueryClientProvider client={queries}>
      {session && given === null ? (
        <SignedIn session={session} onBrand={enter} onLeave={leave} />
      ) : (
        <SignIn given={given} onEnter={enter} ask={(key) => askWhoami(location.origin, key)} />
      )}
      <Waiting />
    </QueryClientProvider>
  )
}

interface SignedInProps {
  readonly session: Session
  readonly onBrand: (key: string, brands: Brand[], brand: string) => void
  readonly onLeave: () => void
}

const SignedIn = ({ session, onBrand, onLeave }: SignedInProps) => (
  <Switch>
    <Route path="/brands/:brand/*?">
      {({ brand }) => <BrandPages key={brand} brand={brand} {...{ session, onBrand, onLeave }} />}
    </Route>
    <Route>
      <Redirect to={brandLink(session.brand)} replace />
    </Route>
  </Switch>
)

interface PageParameters {
  readonly [name: string]: string | undefined
  readonly collection: string
  readonly id?: string
  readonly lineage?: string
}

const BrandPages = ({ brand, session, onBrand, onLeave }: SignedInProps & { brand: string }) => {
  const { key, brands } = session
  const api = useMemo(() => openApi(location.origin, brand, key), [brand, key])
  useEffect(() => {
    if (brand !== session.brand) onBrand(key, brands, brand)
  }, [brand, session.brand, key, brands, onBrand])
  useScrollToTop()
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
              if (!group || (lineage && lineage !== 'lineage')) return <Nowhere />
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

const Nowhere = () => <Failure error={new Error('There is no such page in the console.')} />

/** A new page begins at its top; Back finds the place that was left, which browsers keep. */
const useScrollToTop = () => {
  const [path] = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what sets it off
  useEffect(() => {
    document.getElementById('content')?.scrollTo(0, 0)
  }, [path])
}
