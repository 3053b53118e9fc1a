import { AsyncLocalStorage } from 'node:async_hooks'
import type { AuditActor } from '#audit'

const acting = new AsyncLocalStorage<AuditActor>()

/** Runs work whose entries in the audit log name an operator. */
export const actAs = <T>(operator: string, work: () => T): T =>
  acting.run({ kind: 'operator', name: operator }, work)

/** The operator whose request runs; null outside of one. */
export const actingOperator = (): AuditActor | null => acting.getStore() ?? null
