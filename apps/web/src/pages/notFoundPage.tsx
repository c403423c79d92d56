import { Link } from "@tanstack/react-router";
import { useMessages } from "../messages/useMessages.ts";
import { buttonClasses } from "../ui/button.tsx";
import { usePageTitle } from "../ui/usePageTitle.ts";
import { Waterline } from "../ui/waterline.tsx";

export function NotFoundPage() {
  const { notFound } = useMessages();
  usePageTitle(notFound.title);
  return (
    <div className="relative min-h-96 overflow-hidden border-b border-line bg-surface">
      <Waterline />
      <div className="page relative py-16 text-center">
        <h1 className="text-xl font-bold">{notFound.title}</h1>
        <p className="mt-2 text-muted">{notFound.body}</p>
        <Link to="/" className={`mt-6 ${buttonClasses("primary", "lg")}`}>
          {notFound.toExplore}
        </Link>
      </div>
    </div>
  );
}
