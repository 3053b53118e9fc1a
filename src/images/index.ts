export { contentDisposition } from './download.ts'
export { type FolderImages, type FolderParts, imageFilesPath } from './folder.ts'
export {
  type ImageLink,
  type Images,
  type LinkedFile,
  type OpenedLink,
  StorageUnavailable,
  type StoredImage,
} from './images.ts'
export { checkImagesUrl, type ImagesParts, openImages } from './open.ts'
export type { S3Credentials, S3Parts } from './s3.ts'
