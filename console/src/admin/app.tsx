import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import type { OperatorSession } from '../../../src/contract/index.ts'
import { useScrollPosition } from '../scroll-position.ts'
import { Failure, Loading } from '../states.tsx'
import { adminTexts } from '../texts/admin.ts'
import { AdminContext } from './admin.ts'
import { pages, startPath } from './pages.ts'
import { type AdminSession, useAdminSession } from './session.ts'
import { AdminShell } from './shell.tsx'
import { SignedOut } from './signed-out.tsx'
import './admin.css'

const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      // Operators act on what they see, so a page that is opened or looked at again loads again.
      // A browser that takes itself for offline may reach a server of the same machine.
      queries: { staleTime: 0, refetchOnWindowFocus: true, retry: false, networkMode: 'always' },
    },
  })

/** The operator page. */
export const AdminApp = ({ token }: { token: string | null }) => {
  const queries = useMemo(createQueryClient, [])
  const admin = useAdminSession(token, queries)
  const { state, refresh } = admin
  return (
    <QueryClientProvider client={queries}>
      {state.is === 'loading' && <Loading text={adminTexts().shell.signingIn} />}
      {state.is === 'failed' && (
        <main className="lone-page">
          <h1>{adminTexts().shell.title}</h1>
          <Failure error={state.error} onRetry={refresh} />
        </main>
      )}
      {state.is === 'signed out' && <SignedOut notice={state.notice} onRefresh={refresh} />}
      {state.is === 'signed in' && <SignedIn admin={admin} session={state.session} />}
    </QueryClientProvider>
  )
}

/** Lets the first page load what it shows before the scripts of others. */
const preloadAfterMs = 400

/** Loads the scripts of all pages: they are small, and then there when the server is away. */
const usePreload = (): void => {
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const { Page } of pages) Page.preload()
    }, preloadAfterMs)
    return () => clearTimeout(timer)
  }, [])
}

const SignedIn = ({ admin, session }: { admin: AdminSession; session: OperatorSession }) => {
  const [said, report] = useState('')
  const { api, refresh, signOut } = admin
  useScrollPosition()
  usePreload()
  const value = useMemo(
    () => ({ api, session, report, refreshSession: refresh }),
    [api, session, refresh],
  )
  return (
    <AdminContext value={value}>
      <AdminShell session={session} said={said} onSaid={report} onSignOut={signOut}>
        <Switch>
          {pages.flatMap(({ Page, paths }) =>
            paths.map((path) => (
              <Route key={path} path={path}>
                <Page />
              </Route>
            )),
          )}
          <Route path="/">
            <Redirect to={startPath(session)} replace />
          </Route>
          <Route>
            <p className="state state-empty">{adminTexts().shell.noPage}</p>
          </Route>
        </Switch>
      </AdminShell>
    </AdminContext>
  )
}
