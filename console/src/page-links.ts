import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { brandLink } from './links.ts'

/**
 * Opens the pages of plain links to them. Tables have hundreds of these: a `Link` of the router would
 * listen to the address, each by itself.
 */
export const usePageLinks = (brand: string): void => {
  const [, navigate] = useLocation()
  useEffect(() => {
    const onClick = (event: MouseEvent) => {
      const isPlain = event.button === 0 && !modifiers.some((name) => event[name])
      if (!isPlain || event.defaultPrevented) return
      const link = event.target instanceof Element ? event.target.closest('a') : null
      const path = link?.getAttribute('href')
      if (!path?.startsWith(`${brandLink(brand)}/`) || link?.target) return
      event.preventDefault()
      navigate(path)
    }
    document.addEventListener('click', onClick)
    return () => document.removeEventListener('click', onClick)
  }, [brand, navigate])
}

/** With one of these, the browser opens or saves the link itself. */
const modifiers = ['ctrlKey', 'metaKey', 'altKey', 'shiftKey'] as const
