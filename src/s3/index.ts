export {
  createS3Client,
  type S3Client,
  type S3Object,
  type S3Upload,
  StorageUnavailable,
} from './client.ts'
export type { ListedObject } from './listing.ts'
export {
  encodeRfc3986,
  objectUrl,
  readS3Url,
  type S3Credentials,
  type S3Place,
  shownUrl,
} from './place.ts'
