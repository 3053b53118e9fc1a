import { auditActions } from '#audit'
import { code, page, table } from './markdown.ts'

export const auditPage = (): string =>
  page(
    '# Audit log',
    'What [the audit log](../how-to/audit.md) records. The brand `*` means shared records.',
    table(
      ['Action', 'Meaning'],
      Object.entries(auditActions).map(([action, meaning]) => [code(action), meaning]),
    ),
    table(
      ['Member', 'Meaning'],
      [
        ['`id`', 'Identifies the entry.'],
        ['`at`', 'When it was recorded, in the transaction of its change.'],
        [
          '`actor`, `actorKind`',
          'Who did it: an `operator` by name, a `user` of the system, or a `key` by its id.',
        ],
        [
          '`user`, `host`, `program`',
          'The user and the host of the process, its version and its command.',
        ],
        [
          '`action`, `brand`, `subject`',
          'What happened, and to what: the id of a key or a unit, or the name of a mapping.',
        ],
        ['`details`', 'More, by action; up to 16 KiB, texts up to 300 characters.'],
      ],
    ),
  )
