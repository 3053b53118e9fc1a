export { actingOperator } from './actor.ts'
export { type AdminAppParts, createAdminApp } from './app.ts'
export type { OperationParts } from './operation.ts'
export {
  type IssuedLink,
  type ListedSession,
  linkMinutes,
  openSessions,
  type Session,
  type Sessions,
} from './sessions.ts'
export type { PostedTask, UploadMessage, UploadOutcome, UploadThreads } from './upload-thread.ts'
export { openUploads, type Uploads } from './uploads.ts'
