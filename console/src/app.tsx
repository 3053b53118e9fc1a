import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { Link, Redirect, Route, Switch, useLocation } from 'wouter'
import { type Brand, createApi, readBrands, type SelvedgeError } from './api.ts'
import { BrandContext } from './brand.ts'
import { brandOf, brandQuery } from './brand-record.ts'
import { groupAt } from './contract.ts'
import { documentGroups } from './document/document.ts'
import { lazyPage } from './lazy-page.tsx'
import { brandLink } from './links.ts'
import { setZone } from './locale.ts'
import { NoSuchBrandPage, NoSuchPage } from './no-such-page.tsx'
import { usePageLinks } from './page-links.ts'
import { RecordPage } from './record/record-page.tsx'
import { useScrollPosition } from './scroll-position.ts'
import type { Session } from './session.ts'
import { Shell } from './shell/shell.tsx'
import { Waiting } from './shell/waiting.tsx'
import { SignIn } from './sign-in.tsx'
import { Failure, Loading } from './states.tsx'
import { texts } from './texts/index.ts'
import { useTitle } from './title.ts'
import { useSession } from './use-session.ts'

const TodayPage = lazyPage(async () => (await import('./today/index.tsx')).TodayPage)
const TrendsPage = lazyPage(async () => (await import('./today/trends-page.tsx')).TrendsPage)
const CalendarPage = lazyPage(
  async () => (await import('./calendar/calendar-page.tsx')).CalendarPage,
)
const ListPage = lazyPage(async () => (await import('./explorer/list-page.tsx')).ListPage)
const DocumentPage = lazyPage(
  async () => (await import('./document/document-page.tsx')).DocumentPage,
)
const QualityPage = lazyPage(async () => (await import('./quality/quality-page.tsx')).QualityPage)
const SourcesPage = lazyPage(async () => (await import('./sources/sources-page.tsx')).SourcesPage)
const LineagePage = lazyPage(async () => (await import('./lineage/index.tsx')).LineagePage)

/** Loads the scripts of pages that are one click away, after the first page is shown. */
const usePreload = (isDocument: boolean): void => {
  useEffect(() => {
    const pages = isDocument ? [...mainPages, LineagePage] : mainPages
    const timer = setTimeout(() => {
      for (const { preload } of pages) preload()
    }, preloadAfterMs)
    return () => clearTimeout(timer)
  }, [isDocument])
}

/** Lets the current page load its records first. */
const preloadAfterMs = 400

/**
 * The pages of a day's work. The lineage script is as large as all of these together, so it is
 * loaded only with a document, which links to it.
 */
const mainPages = [TodayPage, CalendarPage, ListPage, DocumentPage]

const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        refetchOnWindowFocus: false,
        // The client's transport retries requests.
        retry: false,
      },
    },
  })

/** The console. Its key comes from the link that `npm start` prints, the sign-in form or another tab. */
export const App = () => {
  const queries = useMemo(createQueryClient, [])
  const { session, candidate, notice, isLoading, signIn, cancelSignIn, chooseBrand, leave, drop } =
    useSession(queries)
  const [path] = useLocation()
  return (
    <QueryClientProvider client={queries}>
      {!isConsolePath(path) ? (
        <NoSuchPage path={path} />
      ) : isLoading ? (
        <Loading text={texts().signIn.busy} />
      ) : session && candidate === null ? (
        <SignedIn session={session} onBrand={chooseBrand} onLeave={leave} onDeadKey={drop} />
      ) : (
        <SignIn
          key={candidate?.key ?? ''}
          candidate={candidate}
          notice={notice}
          onEnter={signIn}
          onCancel={cancelSignIn}
          ask={(key) => readBrands({ origin: location.origin, key })}
        />
      )}
      <Waiting />
    </QueryClientProvider>
  )
}

/** The server sends the console for any path that has nothing else. */
const isConsolePath = (path: string): boolean => path === '/' || /^\/brands\/[^/]/.test(path)

interface SignedInProps {
  readonly session: Session
  readonly onBrand: (brands: Brand[], brand: string) => void
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
  // All brands of a key have the same groups.
  const groups = brands[0]?.groups
  const api = useMemo(
    () =>
      createApi({
        origin: location.origin,
        brand,
        groups,
        key,
        onDeadKey: (error) => onDeadKey(key, error),
      }),
    [brand, groups, key, onDeadKey],
  )
  // The URL may name any brand. One request checks a brand outside the session before a page loads
  // its data.
  const listed = brands.find(({ slug }) => slug === brand)
  const brandCheck = useQuery({ ...brandQuery(api), enabled: !listed })
  const checked = brandCheck.data
  useEffect(() => {
    if (!listed && checked) onBrand([...brands, { ...brandOf(checked), slug: brand }], brand)
    else if (listed && brand !== session.brand) onBrand(brands, brand)
  }, [listed, checked, brand, session.brand, brands, onBrand])
  useScrollPosition()
  usePageLinks(brand)
  const [path] = useLocation()
  const [, , , collection = '', id] = path.split('/')
  usePreload(id !== undefined && documentGroups.has(collection))
  if (!listed) {
    return brandCheck.error ? (
      <NoSuchBrand {...{ brand, brands, onLeave }} error={brandCheck.error} />
    ) : (
      <Loading />
    )
  }
  // Set before anything of the brand is shown, so that all times use its zone.
  setZone(listed.timezone)
  return (
    <BrandContext value={listed}>
      <Shell api={api} brands={brands} onLeave={onLeave}>
        <Switch>
          <Route path="/brands/:brand">
            <TodayPage api={api} />
          </Route>
          <Route path="/brands/:brand/calendar">
            <CalendarPage api={api} />
          </Route>
          <Route path="/brands/:brand/trends">
            <TrendsPage api={api} />
          </Route>
          <Route path="/brands/:brand/quality">
            <QualityPage api={api} />
          </Route>
          <Route path="/brands/:brand/sources">
            <SourcesPage api={api} />
          </Route>
          <Route<PageParameters> path="/brands/:brand/:collection/:id?/:lineage?">
            {({ collection, id, lineage }) => {
              const group = groupAt(collection)
              if (!group || (lineage && lineage !== 'lineage'))
                return <NoSuchBrandPage {...{ brand }} />
              const place = `${collection} ${id}`
              if (id && lineage) return <LineagePage key={place} api={api} group={group} id={id} />
              if (id && documentGroups.has(collection))
                return <DocumentPage key={place} api={api} group={group} id={id} />
              if (id) return <RecordPage key={place} api={api} group={group} id={id} />
              return group.hasList ? (
                <ListPage key={collection} api={api} group={group} />
              ) : (
                <RecordPage api={api} group={group} id={brand} />
              )
            }}
          </Route>
          <Route>
            <NoSuchBrandPage brand={brand} />
          </Route>
        </Switch>
      </Shell>
    </BrandContext>
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
  useTitle(texts().signIn.brandNotAvailable, brand)
  return (
    <main className="lone-page">
      <h1>{brand}</h1>
      <Failure error={error} />
      {brands.length > 0 && (
        <>
          <p>{texts().signIn.readableBrands}</p>
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
        {texts().signIn.anotherKey}
      </button>
    </main>
  )
}
