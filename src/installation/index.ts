export {
  hasInstalledFile,
  installationFolder,
  installedFile,
  installedFileSync,
} from './files.ts'
export {
  cacheCompiledSources,
  forkedProgram,
  loadModule,
  processProgram,
  startThread,
  threadAsset,
} from './programs.ts'
