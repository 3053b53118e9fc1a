export {
  assetsPath,
  type Console,
  type ConsoleFile,
  isConsoleBuilt,
  openConsole,
  referencePath,
} from './site.ts'
