// What stands around every page: navigation, the state of the connection, notices, and the keys that work everywhere.
import { type ReactNode, useEffect } from 'react'
import { startLive } from '../api/live.ts'
import { BottomBar } from './bottom-bar.tsx'
import { ConnectionBar } from './connection-bar.tsx'
import { Sidebar } from './sidebar.tsx'

export function Shell({ children }: { children: ReactNode }) {
  useEffect(startLive, [])
  return (
    <div className="flex h-dvh flex-col">
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-accent px-3 py-2 text-accent-ink focus:not-sr-only focus:absolute focus:m-2"
      >
        Skip to the content
      </a>
      <ConnectionBar />
      <div className="flex min-h-0 flex-1">
        <Sidebar />
        <div className="flex min-w-0 flex-1 flex-col overflow-y-auto pb-14 md:pb-0">{children}</div>
      </div>
      <BottomBar />
    </div>
  )
}
