/*
 * Requests and responses of the operator page: JSON under `/api/` on the admin port. Times are ISO 8601
 * in UTC, counts are numbers, cursors are opaque texts. A cursor of null ends a list. `*` in place of a
 * brand stands for the records that all brands share.
 */
import type { CheckMode, Checks } from './checks.ts'
import type { JsonValue } from './fields.ts'
import type { PublishedView } from './published-view.ts'

/** A page of a list. */
export interface OperatorPage<Item> {
  readonly items: readonly Item[]
  /** For the next page: `?cursor=…` with the same other parameters. */
  readonly nextCursor: string | null
}

/** `GET /api/session`. */
export interface OperatorSession {
  /** The name in the audit log. */
  readonly operator: string
  /** The value of `x-csrf-token` in every request that changes something. */
  readonly csrfToken: string
  /** The session ends then, also if it is used. */
  readonly expiresAt: string
  readonly release: string
  readonly engine: 'sqlite' | 'postgres'
  /** Whether there is no brand yet. */
  readonly isEmpty: boolean
  /** The address of the public API. */
  readonly apiUrl: string
}

/** `GET /api/brands?cursor`, by slug. */
export interface OperatorBrand {
  readonly slug: string
  readonly name: string
  /** Records that a key for it can read: its own and the shared ones. */
  readonly records: number
  /** Records that belong to it alone. */
  readonly own: number
  /** About how many bytes its own records take, with their indexes; null if that is not known. */
  readonly aboutBytes: number | null
  /** When a record was last added, changed or removed; null if unknown. */
  readonly changedAt: string | null
  /** The last write, and how many records it changed; null if unknown. */
  readonly lastImport: { readonly at: string; readonly changed: number } | null
  /** Which checks refuse records on the way in. */
  readonly checks: Checks
  readonly sources: {
    readonly total: number
    readonly failing: number
    /** Units that wait, and units in quarantine. */
    readonly waiting: number
    readonly quarantined: number
    /** Rows in quarantine, also those that a command imported. */
    readonly quarantinedRows: number
  }
  /** Stored findings of the business rules; null if they were never checked. */
  readonly findings: {
    readonly checkedAt: string
    /** Records that break rules of each severity. */
    readonly errors: number
    readonly warnings: number
  } | null
}

export interface OperatorBrands extends OperatorPage<OperatorBrand> {
  /** All brands. */
  readonly total: number
  /** The names of all checks, for `PATCH`. */
  readonly checkNames: readonly string[]
  /** The checks of shared records: `PATCH /api/brands/*` changes them. */
  readonly sharedChecks: Checks
}

/** `POST /api/brands`; responds with the `OperatorAddedBrand`. */
export interface OperatorNewBrand {
  readonly slug: string
  readonly name: string
  /** ISO 3166-1; `US` by default. */
  readonly country?: string
  /** ISO 4217; `USD` by default. */
  readonly currency?: string
  /** IANA; `UTC` by default. */
  readonly timezone?: string
}

export interface OperatorAddedBrand {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly countryCode: string
  readonly baseCurrencyCode: string
  readonly timezone: string | null
  readonly createdAt: string
}

/** `PATCH /api/brands/{slug}`. Counts the stored records that break each check, which may take a while. */
export interface OperatorBrandUpdate {
  /** As `selvedge brands update --checks`: `enforce`, `warn`, or `currency=warn,orders.orderNumber=enforce`. */
  readonly checks: string
}

export interface OperatorBrandUpdated {
  readonly brand: string
  readonly checks: Checks
  readonly rules: readonly {
    readonly check: string
    readonly rule: string
    readonly mode: CheckMode
    /** Stored records that break it. They stay. */
    readonly count: number
  }[]
}

/** `GET /api/brands/{slug}/removal?images=true`: what would be removed. */
export interface OperatorRemoval {
  readonly brand: string
  readonly records: number
  readonly collections: readonly { readonly collection: string; readonly records: number }[]
  /** Rows in quarantine. */
  readonly quarantined: number
  /** Rows of usage. */
  readonly usage: number
  /** Image files; null if they are kept. */
  readonly images: number | null
  /** Keys that name the brand and are not revoked. They stay. */
  readonly keys: readonly {
    readonly id: string
    readonly name: string
    readonly brands: readonly string[]
  }[]
}

/** `DELETE /api/brands/{slug}`. */
export interface OperatorRemove {
  /** The slug again, as a confirmation. */
  readonly confirm: string
  /** Whether its image files are removed too. */
  readonly images?: boolean
}

export interface OperatorRemoved extends OperatorRemoval {
  readonly removed: true
  /** Units of intake that were deleted. */
  readonly units: number
}

/** `GET /api/sources?brand`: where records come from, by brand, kind and name. At most 1,000. */
export interface OperatorSource {
  readonly brand: string
  readonly kind: 'watch' | 'sync' | 'ingest'
  readonly name: string
  readonly state: string
  readonly startedAt: string | null
  readonly succeededAt: string | null
  readonly failedAt: string | null
  /** Since when something waits. */
  readonly behindSince: string | null
  readonly error: string | null
  /** Units that wait, and in quarantine. */
  readonly waiting: number
  readonly quarantined: number
  readonly quarantinedRows: number
  readonly processed: number
  readonly failed: number
}

/** What to look at, as `selvedge keys review` lists it. */
export type KeyFinding =
  | { readonly finding: 'unused'; readonly lastUsedAt: string | null }
  | { readonly finding: 'never_expires' }
  | { readonly finding: 'expires_soon'; readonly expiresAt: string }
  | { readonly finding: 'global' }
  | {
      readonly finding: 'wider_than_used'
      readonly unusedBrands: readonly string[]
      readonly unusedGroups: readonly string[]
    }
  | { readonly finding: 'no_usage_recorded' }

/** `GET /api/keys?brand&cursor`, in the order of issue. Without the secret. */
export interface OperatorKey {
  readonly id: string
  readonly name: string
  /** `ingest` keys send records and read none. */
  readonly kind: 'read' | 'ingest'
  /** Empty if it is global. */
  readonly brands: readonly string[]
  readonly global: boolean
  /** Groups or domains that it can read; null for all. */
  readonly onlyGroups: readonly string[] | null
  readonly withoutGroups: readonly string[] | null
  /** Addresses and networks that it can be used from; null for all. */
  readonly addresses: readonly string[] | null
  /** Collections that an ingest key can send; null for all. */
  readonly collections: readonly string[] | null
  /** Whether its messages can be signed. */
  readonly webhook: boolean
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  /** To the minute. */
  readonly lastUsedAt: string | null
  /** Its own rate limit; null for the server's. */
  readonly perSecond: number | null
  readonly burst: number | null
  readonly successorId: string | null
  /** `replaced`: it works until `expiresAt`, and `successorId` takes its place. */
  readonly state: 'good' | 'replaced' | 'expired' | 'revoked'
  /** Empty for a key that is expired or revoked. */
  readonly findings: readonly KeyFinding[]
}

export interface OperatorKeys extends OperatorPage<OperatorKey> {
  /** All keys, also those that are revoked. */
  readonly total: number
  /** The days of the review. */
  readonly reviewedDays: { readonly use: number; readonly expiry: number }
  /** Groups and domains that limits can name. */
  readonly groups: readonly string[]
}

/** Limits of a key. A missing one stays as it is, or is not set; null removes it. */
export interface OperatorKeyLimits {
  readonly onlyGroups?: readonly string[] | null
  readonly withoutGroups?: readonly string[] | null
  readonly addresses?: readonly string[] | null
  readonly collections?: readonly string[] | null
  /** A time in ISO 8601, or a duration such as `90d`, `12h` or `30m`. */
  readonly expires?: string | null
  readonly perSecond?: number | null
  readonly burst?: number | null
}

/** `POST /api/keys`; responds with the `OperatorIssuedKey`. */
export interface OperatorNewKey extends OperatorKeyLimits {
  readonly name?: string
  /** `read` by default. */
  readonly kind?: 'read' | 'ingest'
  /** Either brands or `global`. */
  readonly brands?: readonly string[]
  readonly global?: boolean
  /** Also a secret that the messages of an ingest key can be signed with. */
  readonly webhook?: boolean
}

/** `PATCH /api/keys/{id}`; responds with the `OperatorKey`. */
export interface OperatorKeyUpdate extends OperatorKeyLimits {
  readonly name?: string
  readonly brands?: readonly string[]
  readonly global?: boolean
}

/** `POST /api/keys/{id}/rotate`; responds with the `OperatorIssuedKey`. Revoking has no body. */
export interface OperatorKeyRotation {
  /** How long the old key still works, such as `7d` or `12h`; `7d` by default. */
  readonly overlap?: string
}

/** A new key. No later response has the key or its signing secret. */
export interface OperatorIssuedKey extends OperatorKey {
  readonly key: string
  /** Of an ingest key with `webhook`. */
  readonly signingSecret?: string
  /** The key that it replaces, after a rotation, and until when that one works. */
  readonly replaces?: { readonly id: string; readonly expiresAt: string | null }
}

/** `GET /api/units?brand&state&cursor`, the latest first. */
export interface OperatorUnit {
  readonly id: string
  readonly brand: string
  readonly kind: 'batch' | 'file' | 'round' | 'import'
  readonly source: string
  /** Its place in the source, such as the name of a file; null for a batch. */
  readonly position: string | null
  readonly state: 'waiting' | 'working' | 'done' | 'refused' | 'quarantined'
  readonly attempts: number
  /** Why the last attempt failed, or why it was refused. */
  readonly lastError: string | null
  /** The process that works on it. */
  readonly holder: string | null
  readonly receivedAt: string
  readonly finishedAt: string | null
  /** Whether an operator has accepted what it was held for. */
  readonly isAccepted: boolean
}

/** `POST /api/units/{id}/retry`; responds with `{ retried: id }`. Discarding responds with `{ discarded: id }`. */
export interface OperatorUnitRetry {
  /** Takes a file that is held because it has few rows, and removes the records that it lacks. */
  readonly accept?: boolean
}

/** A problem of a row. */
export interface OperatorProblem {
  readonly file: string
  /** Null if it is not about a line. */
  readonly line: number | null
  /** The identity of the record in the words of the source; null if it has none. */
  readonly key: string | null
  readonly field: string
  /** The column of the source; null without a mapping. */
  readonly column: string | null
  readonly value: string
  readonly reason: string
  readonly severity: 'error' | 'warning'
}

/** `GET /api/rows?brand&collection&source&cursor`: a row in quarantine, longest waiting first. */
export interface OperatorRow {
  readonly id: string
  readonly collection: string
  /** The identity of its record; null if that cannot be read. */
  readonly key: string | null
  /** What people call the record. */
  readonly title: string | null
  /** Null for rows that a command imported. */
  readonly source: { readonly kind: 'watch' | 'sync' | 'ingest'; readonly name: string } | null
  readonly file: string
  readonly line: number | null
  readonly problems: readonly OperatorProblem[]
  /** The record that it waits for; null if the row itself is bad. */
  readonly waitsFor: {
    readonly field: string
    readonly collection: string
    readonly value: string
  } | null
  readonly since: string
  readonly triedAt: string
}

/** `GET /api/rows/{id}?brand`: what was received. */
export interface OperatorRowCells {
  /** Null if the row was too long to be kept. */
  readonly cells:
    | readonly {
        readonly column: string
        /** Cut if it is long. */
        readonly text: string
      }[]
    | null
  /** Whether the row has more cells than these. */
  readonly hasMoreCells: boolean
}

export interface OperatorRows extends OperatorPage<OperatorRow> {
  /** All rows of the filters. */
  readonly total: number
  /** All rows of the brand, by source and collection. */
  readonly counts: readonly {
    readonly source: OperatorRow['source']
    readonly collection: string
    readonly rows: number
    /** Those of them that wait for a record. */
    readonly waiting: number
  }[]
}

/** `POST /api/rows/discard`; responds with `{ discarded: number }`. */
export interface OperatorRowsDiscard {
  readonly brand: string
  readonly collection?: string
  readonly source?: string
  /** The rows; null for all that the other fields select. */
  readonly ids: readonly string[] | null
}

/**
 * `GET /api/rows/corrections?brand&collection&source`: the files that the rows are corrected in.
 * `GET /api/rows/corrections/{name}` with the same parameters sends one, as `selvedge intake rows
 * --write` writes it.
 */
export interface OperatorCorrections {
  readonly files: readonly {
    readonly name: string
    readonly rows: number
    /** Import the file, or correct the rows in the source database or at the sender; then the file is for reading. */
    readonly remedy: 'import' | 'database' | 'sender'
  }[]
  /** Rows that are in no file: too long, or not split into cells. */
  readonly unreadable: number
}

/** `GET /api/brands/{slug}/views`: a published view. */
export interface OperatorView extends PublishedView {
  /** Why its list cannot be read any more, so that readers do not see it; null if it can. */
  readonly problem: string | null
}

export type OperatorViews = OperatorPage<OperatorView>

/**
 * `POST /api/brands/{slug}/views`; responds with the `OperatorView`. Either the link of a list in
 * the console, or a group with the parameters of its list. `DELETE` with `{ name }` removes one.
 */
export interface OperatorNewView {
  /** The name in the link by default. */
  readonly name?: string | undefined
  readonly link?: string | undefined
  readonly group?: string | undefined
  readonly query?: string | undefined
}

/** What a unit did to a collection. */
export interface OperatorImportCounts {
  readonly collection: string
  readonly read: number
  readonly added: number
  readonly changed: number
  readonly unchanged: number
  readonly removed: number
  readonly quarantined: number
}

/** `GET /api/imports?brand&cursor`: units that have ended, the latest first. They are kept for some days. */
export interface OperatorImport {
  readonly id: string
  readonly brand: string
  readonly kind: OperatorUnit['kind']
  readonly source: string
  readonly position: string | null
  readonly state: 'done' | 'refused' | 'quarantined'
  readonly receivedAt: string
  readonly finishedAt: string
  /** Whether it was only checked. */
  readonly isDryRun: boolean
  /** Sums over its collections. */
  readonly added: number
  readonly changed: number
  readonly removed: number
  readonly quarantined: number
  readonly problems: number
}

/** `GET /api/imports/{id}`. */
export interface OperatorImportDetails extends OperatorImport {
  readonly lastError: string | null
  readonly collections: readonly OperatorImportCounts[]
  /** The first problems. */
  readonly firstProblems: readonly OperatorProblem[]
  /** The first records that it changed, as far as that is kept; null if it is not. */
  readonly changes: readonly OperatorImportChange[] | null
  /** Whether there are more changes than these. */
  readonly hasMoreChanges: boolean
}

export interface OperatorImportChange {
  /** `stored`: added or changed; what it was before is not kept. */
  readonly operation: 'added' | 'changed' | 'removed' | 'stored'
  readonly collection: string
  readonly id: string
  /** What people call the record; null if it is not known. */
  readonly title: string | null
  /** The fields that differ; empty if that is not kept. */
  readonly fields: readonly {
    /** Its JSON pointer: `/relationship/status`. */
    readonly field: string
    /** Values that are not known are left out. Long ones are cut. */
    readonly before?: JsonValue
    readonly after?: JsonValue
  }[]
}

/** `GET /api/checks?brand`: the stored findings of the business rules. */
export interface OperatorChecks {
  readonly brand: string
  readonly checkedAt: string | null
  /** Whether no record has changed since the rules that read it were checked. */
  readonly isCurrent: boolean
  readonly rules: {
    readonly total: number
    readonly passed: number
    readonly broken: number
    readonly unchecked: number
    readonly outdated: number
  }
  /** Broken rules, errors first. */
  readonly findings: readonly {
    readonly rule: string
    readonly severity: 'error' | 'warning'
    readonly sentence: string
    readonly remedy: string
    readonly groups: readonly string[]
    readonly count: number
    readonly checkedAt: string
    readonly isCurrent: boolean
    /** The first records that break it. */
    readonly records: readonly {
      readonly group: string
      readonly id: string
      readonly title: string | null
      readonly detail: string
    }[]
  }[]
  /** Past checks of all rules, oldest first. */
  readonly history: readonly {
    readonly checkedAt: string
    readonly errors: number
    readonly warnings: number
  }[]
}

/** `GET /api/feed?brand&cursor`: who reads the change feed, by brand and key. */
export interface OperatorFeedReader {
  readonly keyId: string
  /** The name of the key; null if the key does not exist any more. */
  readonly keyName: string | null
  readonly brand: string
  /** The collection that it reads; null for all. */
  readonly collection: string | null
  /** The number of the change that it has read last. */
  readonly position: number
  /** When it read last, to a few seconds. */
  readonly readAt: string
  /** When it last had read everything; null if never. */
  readonly caughtUpAt: string | null
  /** Changed records that it has not read. */
  readonly lagChanges: number
  /** Whether there are more of them than `lagChanges`. */
  readonly hasMoreChanges: boolean
  /** Since when it is behind, at most; 0 if it is not, null if it has never read everything. */
  readonly lagSeconds: number | null
}

export type OperatorFeed = OperatorPage<OperatorFeedReader> & {
  /** Whether the server offers the change feed. */
  readonly isRecording: boolean
}

/** `GET /api/storage`. */
export interface OperatorStorage {
  readonly engine: 'sqlite' | 'postgres'
  /** SQLite: the files of the database. Empty on PostgreSQL. */
  readonly files: readonly {
    /** What is in it: `records`, `units` or `keys`. */
    readonly name: string
    readonly path: string
    readonly bytes: number
    /** Its write-ahead log; 0 if there is none. */
    readonly walBytes: number
  }[]
  /** Free space of the disk that has the files; null if it is not known. */
  readonly freeBytes: number | null
  /** Size of the database; of all files on SQLite. */
  readonly bytes: number
  /** Size of the write-ahead log; null if the user may not read it. */
  readonly walBytes: number | null
  /** The largest tables with their indexes, about; empty on SQLite. */
  readonly tables: readonly {
    readonly name: string
    readonly aboutBytes: number
    readonly aboutRows: number
  }[]
  /** PostgreSQL: age of the oldest snapshot, which keeps old rows from being removed; null if none or unknown. */
  readonly oldestSnapshotSeconds: number | null
  readonly lastBackup: OperatorBackup | null
}

/** The last backup that succeeded. */
export interface OperatorBackup {
  readonly at: string
  readonly target: string
  readonly bytes: number
  /** When it was verified; null if it was not. */
  readonly verifiedAt: string | null
  readonly ageSeconds: number
  /** Whether the next one of a schedule is missing. */
  readonly isLate: boolean
}

/** `GET /api/health`. Each part is asked with a time limit of its own. */
export interface OperatorHealth {
  readonly parts: readonly {
    readonly part: 'database' | 'migrations' | 'redis' | 'images' | 'backup' | 'intake'
    /** `off`: it is not used. */
    readonly state: 'ok' | 'warning' | 'error' | 'off'
    readonly message: string
  }[]
  /** PostgreSQL servers; empty on SQLite. */
  readonly hosts: readonly {
    readonly name: string
    readonly role: 'unknown' | 'primary' | 'replica' | 'away'
    readonly timeline: number | null
    readonly lagSeconds: number
    /** Why it is not used although it answers; null if it is used. */
    readonly leftOut: 'timeline' | 'system' | null
    /** Why it is away or left out; null if it is neither. */
    readonly reason: string | null
  }[]
}

/** What usage is added up by. */
export type OperatorUsagePart = 'key' | 'brand' | 'group' | 'operation' | 'day'

/** `GET /api/usage?from&to&by&key&brand`: days, `by` with commas; the last 30 days by key by default. */
export interface OperatorUsage {
  /** The first and the last day, such as `2026-11-18`. */
  readonly since: string
  readonly until: string
  readonly by: readonly OperatorUsagePart[]
  /** In the order of the parts. */
  readonly items: readonly OperatorUsageItem[]
  /** Whether there are more items than these. */
  readonly isCut: boolean
}

export interface OperatorUsageItem {
  /** The parts that it is added up by; null for requests without a key, brand or group. */
  readonly key?: string | null
  /** The name of the key, with `key`. */
  readonly name?: string | null
  readonly brand?: string | null
  readonly group?: string | null
  readonly operation?: string | null
  readonly day?: string | null
  readonly requests: number
  readonly records: number
  readonly bytes: number
  /** Refused requests by the code of their error. */
  readonly refusals: { readonly [code: string]: number }
  readonly firstAt: string
  readonly lastAt: string
  /** Requests by address. */
  readonly addresses: { readonly [address: string]: number }
  /** Requests from further addresses. */
  readonly otherAddresses: number
}

/** `GET /api/audit?since&until&brand&action&cursor`, the latest first. */
export interface OperatorAuditEntry {
  readonly number: number
  readonly at: string
  readonly actor: string
  readonly actorKind: 'operator' | 'user' | 'key'
  /** The user of the system, and the machine. */
  readonly user: string
  readonly host: string
  readonly program: string
  readonly action: string
  readonly brand: string | null
  /** The id of a key or a unit, or the name of a mapping. */
  readonly subject: string | null
  readonly details: { readonly [name: string]: unknown }
}

export interface OperatorAudit extends OperatorPage<OperatorAuditEntry> {
  /** All actions, with what they mean, for the filter. */
  readonly actions: { readonly [action: string]: string }
}

/** `POST /api/audit/verify`. */
export interface OperatorAuditVerify {
  /** A head that was shown before, `<number>:<hash>`, which must still be in the log. */
  readonly expect?: string
}

export interface OperatorAuditVerified {
  /** Entries that are in order. */
  readonly entries: number
  readonly head: string
  /** The first entry that is wrong. */
  readonly problem: { readonly number: number; readonly reason: string } | null
}
