/** The database has something that this program would have to drop or guess. */
export class MigrationError extends Error {}

export const refusal = (reason: string): MigrationError =>
  new MigrationError(
    `The database does not fit this version: ${reason}. Nothing was changed. Export the records with the version that wrote them, then import them into a new database; or continue with that version.`,
  )
