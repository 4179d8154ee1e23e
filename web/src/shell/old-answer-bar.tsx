// Says that something on the page could not be refreshed: it is older than the rest.
import { notifyManager } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { queryClient } from '../api/query-client.ts'
import { Button } from '../ui/button.tsx'
import { Bar } from './bar.tsx'

export function OldAnswerBar() {
  const why = useSyncExternalStore(subscribe, readReason)
  if (why === null) return null
  return (
    <Bar
      tone="attention"
      icon="warning"
      action={
        <Button size="sm" onClick={() => void queryClient.refetchQueries({ type: 'active', predicate: isOld })}>
          Try again
        </Button>
      }
    >
      Something on this page could not be read again, and is older than it should be: {why}
    </Bar>
  )
}

type Query = ReturnType<ReturnType<typeof queryClient.getQueryCache>['getAll']>[number]

/** An answer that never came is reported where it was given. */
function isOld({ state }: Pick<Query, 'state'>): boolean {
  return state.status === 'error' && state.data !== undefined
}

function readReason(): string | null {
  const old = queryClient
    .getQueryCache()
    .getAll()
    .find((query) => query.isActive() && isOld(query))
  return old?.state.error?.message ?? null
}

function subscribe(listener: () => void): () => void {
  return queryClient.getQueryCache().subscribe(notifyManager.batchCalls(listener))
}
