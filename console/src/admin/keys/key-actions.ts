import type { OperatorKey } from '../../../../src/contract/index.ts'

export type KeyAction = 'update' | 'rotate' | 'revoke'

/** What an operator can do with a key. The successor of an expired key would be expired too. */
export const keyActions = ({ state }: Pick<OperatorKey, 'state'>): readonly KeyAction[] => {
  if (state === 'revoked') return []
  return state === 'good' ? ['update', 'rotate', 'revoke'] : ['update', 'revoke']
}
