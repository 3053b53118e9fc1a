import type { RuleSentences } from '../../rules.ts'

/** One text for all unique keys: see `keyRule`. */
export const keyRules: RuleSentences = {
  '{group}.{fields}': {
    sentence: 'Keine zwei Datensätze in „{group}“ stimmen überein in: {fields}.',
    remedy:
      'Korrigieren Sie einen der Datensätze, oder entfernen Sie den, der doppelt vorhanden ist.',
    details: { 'the same {names} as {}': '{fields} wie bei {code}' },
  },
}
