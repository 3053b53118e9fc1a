export {
  type ExportManifest,
  exportBrand,
} from './export.ts'
export { type ExportFormat, exportFormats } from './formats.ts'
