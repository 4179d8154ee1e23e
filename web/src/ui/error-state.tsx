// What went wrong, in the server's words, with its hint.
import { RequestError } from '../api/request-error.ts'
import { Button } from './button.tsx'
import { EmptyState } from './empty-state.tsx'

export function ErrorState({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  return (
    <div role="alert">
      <EmptyState icon="warning" title={error.message} action={onRetry && <Button onClick={onRetry}>Try again</Button>}>
        {hintOf(error)}
      </EmptyState>
    </div>
  )
}

export function hintOf(error: Error): string | null {
  return error instanceof RequestError ? error.hint : null
}
