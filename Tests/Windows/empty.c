// An empty window of libadwaita: what the first frame of any of its programs costs at least.
#include <adwaita.h>
#include <stdio.h>
#include <time.h>

static void painted(GdkFrameClock *clock, gpointer application) {
    struct timespec spent;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    fprintf(stderr, "first frame: %ld ms of CPU\n", spent.tv_sec * 1000 + spent.tv_nsec / 1000000);
    g_application_quit(application);
}

static void activate(GtkApplication *application, gpointer data) {
    GtkWidget *window = adw_application_window_new(application);
    adw_application_window_set_content(ADW_APPLICATION_WINDOW(window), adw_header_bar_new());
    gtk_window_present(GTK_WINDOW(window));
    g_signal_connect(gtk_widget_get_frame_clock(window), "after-paint", G_CALLBACK(painted), application);
}

int main(void) {
    AdwApplication *application = adw_application_new("org.hark.Empty", G_APPLICATION_NON_UNIQUE);
    g_signal_connect(application, "activate", G_CALLBACK(activate), NULL);
    return g_application_run(G_APPLICATION(application), 0, NULL);
}
