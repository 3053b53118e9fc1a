export const App = () => <main>Selvedge</main>
