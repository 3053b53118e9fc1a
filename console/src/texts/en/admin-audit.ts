import { counted } from '../counted.ts'

/** The audit log. */
export const audit = {
  title: 'Audit log',
  about:
    'Who changed what, the latest first. Entries are chained, so that a change of the log shows.',
  empty: 'The log has no entries.',
  since: 'First day',
  until: 'Last day',
  action: 'Action',
  at: 'Time',
  actor: 'Who',
  actorKinds: { operator: 'operator', user: 'user of the system', key: 'key' },
  subject: 'Subject',
  number: 'Entry',
  program: 'Program',
  user: 'User and machine',
  userAt: (user: string, host: string) => `${user} on ${host}`,
  verify: 'Verify the log',
  verifyNow: 'Verify',
  verifyAbout:
    'Reads the whole log and checks that no entry was changed, removed or added. That may take a while.',
  expected: 'Head from an earlier verification',
  expectedNote: 'Optional, as <number>:<hash>. It must still be in the log.',
  verified: (entries: number) =>
    `${counted(entries, 'entry is', 'entries are')} in order. The head of the log is:`,
  keepHead:
    'Keep the head in another place. A later verification with it shows whether the end of the log was cut off.',
  broken: (number: number) => `Entry ${number} is wrong:`,
}
