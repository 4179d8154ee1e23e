// What surrounds every page: navigation, the connection state, notices, and the global keys.
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { startLive, useBoard, useConnection } from '../api/live.ts'
import { useNotifications } from '../notify/use-notifications.ts'
import { goToNext } from '../pages/queue/next-need.ts'
import { Palette } from '../palette/palette.tsx'
import { BottomBar } from './bottom-bar.tsx'
import { ConnectionBar } from './connection-bar.tsx'
import { HelpDialog } from './help-dialog.tsx'
import { DESTINATIONS } from './navigation.ts'
import { Sidebar } from './sidebar.tsx'
import { SignIn } from './sign-in.tsx'
import { useShortcuts } from './use-shortcuts.ts'

export function Shell({ children }: { children: ReactNode }) {
  useEffect(startLive, [])
  const [help, setHelp] = useState(false)
  useGlobalKeys(() => setHelp(true))
  const [, navigate] = useLocation()
  useNotifications(navigate)
  const [finding, setFinding] = useState(false)
  usePaletteKey(() => setFinding(true))
  const connection = useConnection()
  // Somebody who was signed out while looking keeps what they see; a bar says that it is old.
  if (useBoard() === null && connection.state === 'refused' && connection.isSignedOut) return <SignIn />
  return (
    <div className="flex h-dvh flex-col">
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-accent px-3 py-2 text-accent-ink focus:not-sr-only focus:absolute focus:m-2"
      >
        Skip to the content
      </a>
      {/* Above the navigation of a phone: what is being read stays where it is when one appears. */}
      <div className="max-md:order-1">
        <ConnectionBar />
      </div>
      <div className="flex min-h-0 flex-1">
        <Sidebar />
        {/* Positioned: what is hidden from sight and not from readers would lengthen the document instead. */}
        <div className="relative flex min-w-0 flex-1 flex-col overflow-y-auto">{children}</div>
      </div>
      <BottomBar />
      {help && <HelpDialog onClose={() => setHelp(false)} />}
      {finding && <Palette onClose={() => setFinding(false)} />}
    </div>
  )
}

/** `?` for help; `g` and a letter for a section; `e` for the next who needs the person. */
function useGlobalKeys(onHelp: () => void): void {
  const [location, navigate] = useLocation()
  useShortcuts(
    (key) => {
      const destination = DESTINATIONS.find((one) => one.key === key)
      if (destination) navigate(destination.href)
      return destination !== undefined
    },
    { after: 'g' },
  )
  useShortcuts((key) => {
    if (key === '?') onHelp()
    if (key === 'e') goToNext(location, navigate)
    return key === '?' || key === 'e'
  })
}

/** Ctrl or Cmd and K, also while somebody types; in a terminal the keys are the agent's. */
function usePaletteKey(onOpen: () => void): void {
  const open = useRef(onOpen)
  useEffect(() => {
    open.current = onOpen
  })
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      const inTerminal = event.target instanceof HTMLElement && event.target.closest('.xterm') !== null
      if (inTerminal || document.querySelector('dialog[open]')) return
      event.preventDefault()
      open.current()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
}
