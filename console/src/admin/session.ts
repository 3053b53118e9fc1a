import type { QueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { SelvedgeError } from '../../../client/src/index.ts'
import type { OperatorSession } from '../../../src/contract/index.ts'
import { adminTexts } from '../texts/admin.ts'
import { type AdminApi, createAdminApi } from './admin-api.ts'
import { takeToken } from './token.ts'

export type SessionState =
  | { readonly is: 'loading' }
  | { readonly is: 'signed in'; readonly session: OperatorSession }
  /** Says why, if the visitor was signed in or came by a link. */
  | { readonly is: 'signed out'; readonly notice: string | null }
  | { readonly is: 'failed'; readonly error: unknown }

export interface AdminSession {
  readonly state: SessionState
  readonly api: AdminApi
  readonly signOut: () => void
  /** Asks the server again. */
  readonly refresh: () => void
}

/**
 * The session of the operator. Redeems the token of a link; without one, asks whether the cookie of
 * the browser is that of a session. Keeps nothing in the browser: the CSRF token is in memory only.
 */
export const useAdminSession = (token: string | null, queries: QueryClient): AdminSession => {
  const [state, setState] = useState<SessionState>({ is: 'loading' })
  const csrfToken = useRef<string | null>(null)
  const operator = useRef('')
  const hasStarted = useRef(false)
  const parts = useMemo(() => {
    const end = (notice: string | null) => {
      csrfToken.current = null
      queries.clear()
      setState({ is: 'signed out', notice })
    }
    const begin = (session: OperatorSession) => {
      csrfToken.current = session.csrfToken
      operator.current = session.operator
      setState({ is: 'signed in', session })
    }
    const renew = async () => {
      const session = await api.get<OperatorSession>('/session')
      const isSame = operator.current === session.operator
      begin(session)
      return isSame
    }
    const api: AdminApi = createAdminApi({
      renew,
      csrfToken: () => csrfToken.current,
      // Not for a visitor who never was signed in.
      onEnd: () => end(csrfToken.current === null ? null : adminTexts().shell.ended),
    })
    const read = async () => begin(await api.get<OperatorSession>('/session'))
    const redeem = async (link: string) => {
      try {
        begin(await api.change<OperatorSession>('POST', '/session', { token: link }))
      } catch (error) {
        if (!isRefusal(error)) throw error
        // Somebody who opens a link again is signed in by its session.
        await read().catch(() => end(refusalText(error)))
      }
    }
    const ask = async (link: string | null) => {
      try {
        await (link === null ? read() : redeem(link))
      } catch (error) {
        if (!isRefusal(error)) setState({ is: 'failed', error })
        else if (error.status !== 401) end(error.message)
      }
    }
    const signOut = async () => {
      await api.change('DELETE', '/session')
      end(adminTexts().shell.left)
    }
    return { api, ask, signOut, endNow: () => end(adminTexts().shell.ended) }
  }, [queries])

  useEffect(() => {
    if (hasStarted.current) return
    hasStarted.current = true
    void parts.ask(token)
  }, [parts, token])

  // A link that is opened in this tab changes only the part of the address after `#`.
  useEffect(() => {
    const onHashChange = () => {
      const link = takeToken()
      if (link !== null) void parts.ask(link)
    }
    addEventListener('hashchange', onHashChange)
    return () => removeEventListener('hashchange', onHashChange)
  }, [parts])

  // The page hides what it shows when the session is over, also without a request.
  const expiresAt = state.is === 'signed in' ? state.session.expiresAt : null
  useEffect(() => {
    if (expiresAt === null) return
    const timer = setTimeout(parts.endNow, Date.parse(expiresAt) - Date.now())
    return () => clearTimeout(timer)
  }, [parts, expiresAt])

  return {
    state,
    api: parts.api,
    signOut: () => void parts.signOut().catch((error) => setState({ is: 'failed', error })),
    refresh: () => void parts.ask(null),
  }
}

/** Whether the server has answered, and refused. */
const isRefusal = (error: unknown): error is SelvedgeError =>
  error instanceof SelvedgeError && error.status !== undefined && error.status < 500

const refusalText = ({ code, message }: SelvedgeError): string =>
  code === 'invalid_sign_in_link' ? adminTexts().shell.linkUsed : message
