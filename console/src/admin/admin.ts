import { createContext, useContext } from 'react'
import type { OperatorSession } from '../../../src/contract/index.ts'
import type { AdminApi } from './admin-api.ts'

/** What every operator page needs. */
export interface Admin {
  readonly api: AdminApi
  readonly session: OperatorSession
  /** Tells the operator that something was done. */
  report(sentence: string): void
  /** Asks for the session again: whether the installation is empty may have changed. */
  refreshSession(): void
}

export const AdminContext = createContext<Admin | null>(null)

export const useAdmin = (): Admin => {
  const admin = useContext(AdminContext)
  if (!admin) throw new Error('useAdmin() is called outside of AdminContext.')
  return admin
}
