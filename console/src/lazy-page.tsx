import { type ComponentType, useEffect, useState } from 'react'
import { Loading } from './states.tsx'

/** A page whose script loads when the page is first shown, or earlier. */
export type LazyPage<Props> = ComponentType<Props> & {
  /** Loads the script ahead of time, so that the page appears at once. */
  preload: () => void
}

/**
 * A page in a separate script. Does not use `lazy` of React, which suspends even if the script is
 * loaded and then keeps its fallback for 300 ms.
 */
export const lazyPage = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): LazyPage<Props> => {
  let Loaded: ComponentType<Props> | null = null
  let loading: Promise<void> | null = null
  const start = (): Promise<void> => {
    loading ??= load().then(
      (component) => {
        Loaded = component
      },
      (error: unknown) => {
        // The next mount tries again.
        loading = null
        throw error
      },
    )
    return loading
  }
  const Page = (props: Props) => {
    const [, setResult] = useState<unknown>(null)
    useEffect(() => {
      if (Loaded) return
      start().then(
        () => setResult(true),
        (error: unknown) =>
          setResult(() => {
            throw error
          }),
      )
    }, [])
    return Loaded ? <Loaded {...props} /> : <Loading />
  }
  return Object.assign(Page, { preload: () => void start().catch(() => undefined) })
}
