import { ApiError, type OperatorSession } from '#contract'
import { cookieOf, endedCookieOf } from '../cookie.ts'
import { readFields, text } from '../fields.ts'
import { type Operation, type OperationParts, operation } from '../operation.ts'
import type { Session } from '../sessions.ts'

const describe = async (parts: OperationParts, session: Session): Promise<OperatorSession> => ({
  operator: session.operator,
  csrfToken: session.csrfToken,
  expiresAt: session.expiresAt,
  release: parts.release,
  engine: parts.database.dialect.name,
  isEmpty: (await parts.store.listBrands(null)).length === 0,
  apiUrl: parts.apiUrl,
})

export const sessionOperations: readonly Operation[] = [
  operation({
    method: 'GET',
    path: '/session',
    read: ({ query }) => readFields(query, {}),
    run: (parts, _input, { session }) => describe(parts, session),
  }),
  operation({
    method: 'POST',
    path: '/session',
    isOpen: true,
    read: ({ body }) => readFields(body, { token: text(100) }),
    run: async (parts, { token }, { address, setHeader, setOperator }) => {
      const begun = await parts.sessions.redeem(token, address)
      if (!begun) {
        throw new ApiError(
          'invalid_sign_in_link',
          'This link has been used or has expired. Print another one: selvedge admin --as <name>',
        )
      }
      setOperator(begun.session.operator)
      setHeader('set-cookie', cookieOf(parts, begun.cookie))
      return describe(parts, begun.session)
    },
  }),
  operation({
    method: 'DELETE',
    path: '/session',
    body: 'none',
    read: () => undefined,
    run: async (parts, _input, { session, setHeader }) => {
      await parts.sessions.signOut(session)
      await parts.uploads.discardOf(session)
      setHeader('set-cookie', endedCookieOf(parts))
      return undefined
    },
  }),
]
