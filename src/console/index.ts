export {
  assetsPath,
  type Console,
  type ConsoleFile,
  createConsole,
  isConsoleBuilt,
  referencePath,
} from './site.ts'
